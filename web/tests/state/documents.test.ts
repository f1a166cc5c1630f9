import { expect, test } from "vitest";
import { documentsReducer, emptyDocuments, type Document } from "../../src/state/documents";

const row = (status: string, etag: string, sizeBytes?: number): Document => ({
  documentId: "d",
  filename: "a.pdf",
  status,
  progress: null,
  etag,
  ...(sizeBytes !== undefined && { sizeBytes }),
});

const shown = (...rows: Document[]) =>
  rows.reduce(
    (state, next) => documentsReducer(state, { type: "updated", row: next }),
    documentsReducer(emptyDocuments, { type: "loaded", rows: [row("PENDING", "1", 10)] }),
  ).rows;

test("a frame that was overtaken by the end does not bring a document back to work", () => {
  expect(shown(row("COMPLETED", "1"), row("EMBEDDING", "1"))).toMatchObject([
    { status: "COMPLETED" },
  ]);
  expect(shown(row("FAILED", "1"), row("PROCESSING", "1"))).toMatchObject([{ status: "FAILED" }]);
});

test("a new file of the same document is worked on", () => {
  expect(shown(row("COMPLETED", "1"), row("PROCESSING", "2"))).toMatchObject([
    { status: "PROCESSING", sizeBytes: 10 },
  ]);
});

test("an upload that has arrived does not hide what is known of its document", () => {
  const upload = { id: "u", file: new File(["x"], "a.pdf"), sent: 1 };
  const uploading = documentsReducer(emptyDocuments, { type: "uploading", upload });
  const done = documentsReducer(uploading, { type: "updated", row: row("COMPLETED", "1") });
  const late = documentsReducer(done, { type: "uploaded", id: "u", row: row("PENDING", "") });
  expect(late.rows).toMatchObject([{ status: "COMPLETED" }]);
  expect(late.uploads).toEqual([]);
});
