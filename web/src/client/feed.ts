import { TERMINAL, type TurnEvent } from "../protocol";

export const GAP_MS = 1_500;
export const QUIET_MS = 10_000;

export interface FeedOptions {
  /** Number of the last event that is known already. */
  after: number;
  /** Gets each event once, in order. */
  deliver: (event: TurnEvent) => void;
  /** Ask for the events after a number. */
  resume: (after: number) => void;
}

/** Puts one turn's events in order: early ones wait, known ones are dropped, missing ones are asked for. */
export class TurnFeed {
  private after: number;
  private ended = false;
  private asked = 0;
  private readonly early = new Map<number, TurnEvent>();
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly options: FeedOptions) {
    this.after = options.after;
    this.arm();
  }

  /** Whether any event was delivered. */
  get begun(): boolean {
    return this.after > this.options.after;
  }

  take(event: TurnEvent): void {
    if (this.ended || event.seq <= this.after) return;
    this.early.set(event.seq, event);
    this.deliverWhatFollows();
    this.arm();
  }

  /** Ask at once for what may have been missed. */
  catchUp(): void {
    if (this.ended) return;
    this.options.resume(this.after);
    this.arm();
  }

  stop(): void {
    this.ended = true;
    clearTimeout(this.timer);
  }

  private deliverWhatFollows(): void {
    let next = this.early.get(this.after + 1);
    while (next) {
      this.early.delete(next.seq);
      this.after = next.seq;
      this.asked = 0;
      if (TERMINAL.has(next.type)) this.stop();
      this.options.deliver(next);
      if (TERMINAL.has(next.type)) return;
      next = this.early.get(this.after + 1);
    }
  }

  /** Wait for what is missing, longer each time that asking did not help. */
  private arm(): void {
    if (this.ended) return;
    clearTimeout(this.timer);
    const patience = this.early.size > 0 ? Math.min(GAP_MS * 2 ** this.asked, QUIET_MS) : QUIET_MS;
    this.timer = setTimeout(() => {
      this.asked += 1;
      this.catchUp();
    }, patience);
  }
}
