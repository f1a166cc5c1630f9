import { text } from "../messages";
import type { NotTaken } from "../state/pending";

const IMAGE_BYTES = 5 * 1024 * 1024;
const DOCUMENT_BYTES = 4.5 * 1024 * 1024;
const TOTAL_BYTES = 20 * 1024 * 1024;
export const MOST_FILES = 5;

const OFFICE = "application/vnd.openxmlformats-officedocument";
const TYPES: Record<string, string> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  gif: "image/gif",
  webp: "image/webp",
  pdf: "application/pdf",
  doc: "application/msword",
  docx: `${OFFICE}.wordprocessingml.document`,
  xls: "application/vnd.ms-excel",
  xlsx: `${OFFICE}.spreadsheetml.sheet`,
  txt: "text/plain",
  md: "text/markdown",
  html: "text/html",
  htm: "text/html",
  csv: "text/csv",
};
const KNOWN = new Set(Object.values(TYPES));

/** What a file dialog offers. */
export const ACCEPTED = [...KNOWN, ...Object.keys(TYPES).map((name) => `.${name}`)].join(",");

export const isImage = (mimeType: string): boolean => mimeType.startsWith("image/");

/** The type to declare; a browser may not know it, or know a stranger one. */
export function typeOf(file: { name: string; type: string }): string {
  const declared = file.type.split(";", 1)[0]?.trim().toLowerCase() ?? "";
  if (KNOWN.has(declared)) return declared;
  return TYPES[file.name.split(".").at(-1)?.toLowerCase() ?? ""] ?? declared;
}

interface Sized {
  sizeBytes: number;
}

/** Which of some files may be attached beside those that are; the server looks at the bytes again. */
export function checked(files: readonly File[], beside: readonly Sized[]) {
  const taken: File[] = [];
  const notTaken: NotTaken[] = [];
  let total = beside.reduce((sum, each) => sum + each.sizeBytes, 0);
  for (const file of files) {
    const message = problemOf(file, beside.length + taken.length, total);
    if (message) {
      const failure = { code: "ATTACHMENT", message, hint: "" };
      notTaken.push({ filename: file.name, failure });
    } else {
      taken.push(file);
      total += file.size;
    }
  }
  return { taken, notTaken };
}

function problemOf(file: File, count: number, total: number): string | undefined {
  const type = typeOf(file);
  if (!KNOWN.has(type)) return text.attachments.wrongType;
  if (file.size === 0) return text.attachments.empty;
  const most = isImage(type) ? IMAGE_BYTES : DOCUMENT_BYTES;
  const words = isImage(type) ? text.attachments.largeImage : text.attachments.largeDocument;
  if (file.size > most) return words;
  if (count >= MOST_FILES) return text.attachments.tooMany(MOST_FILES);
  if (total + file.size > TOTAL_BYTES) return text.attachments.largeTotal;
  return undefined;
}
