import type { Part } from "../protocol";

/** Joins frames that came in parts. */
export class PartJoiner {
  private readonly open = new Map<string, Map<number, Part>>();

  /** Keep a part; return the frame once all of its parts are there. */
  join(part: Part): unknown {
    const parts = this.open.get(part.partOf) ?? new Map<number, Part>();
    this.open.set(part.partOf, parts.set(part.index, part));
    const last = [...parts.values()].find((each) => each.last);
    if (!last || parts.size <= last.index) return undefined;
    this.open.delete(part.partOf);
    const inOrder = [...parts.values()].sort((a, b) => a.index - b.index);
    return JSON.parse(inOrder.map((each) => each.text).join("")) as unknown;
  }

  /** Forget what is not whole: its rest was lost with the socket. */
  clear(): void {
    this.open.clear();
  }
}
