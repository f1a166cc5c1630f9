/** A passage that an answer stands on; `[n]` in its text names it. */
export interface Source {
  n: number;
  documentId: string;
  chunkId: string;
  filename: string;
  snippet: string;
  page?: number;
  pageTo?: number;
  section?: string;
  charFrom?: number;
  charTo?: number;
  score?: number;
  vectorScore?: number;
  textScore?: number;
}

const NUMBERS = [
  "page",
  "pageTo",
  "charFrom",
  "charTo",
  "score",
  "vectorScore",
  "textScore",
] as const;

/** Read the sources of a frame or a row; what cannot be shown is left out. */
export function sourcesOf(found: readonly unknown[] | null | undefined): Source[] {
  return (found ?? []).flatMap((each) => {
    const raw = each as Record<string, unknown>;
    if (typeof raw["n"] !== "number") return [];
    const source: Source = {
      n: raw["n"],
      documentId: text(raw["documentId"]),
      chunkId: text(raw["chunkId"]),
      filename: text(raw["filename"]),
      snippet: text(raw["snippet"]),
    };
    if (text(raw["section"])) source.section = text(raw["section"]);
    for (const name of NUMBERS) {
      const value = raw[name];
      if (typeof value === "number") source[name] = value;
    }
    return [source];
  });
}

const text = (value: unknown): string => (typeof value === "string" ? value : "");
