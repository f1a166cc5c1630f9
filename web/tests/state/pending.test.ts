import { expect, test } from "vitest";
import { checked, typeOf } from "../../src/app/attachable";
import { text } from "../../src/messages";
import {
  attachmentsOf,
  isWhole,
  nothingPending,
  pendingReducer,
  type Pending,
  type PendingFile,
} from "../../src/state/pending";

const file = (id: string, more: Partial<PendingFile> = {}): PendingFile => ({
  id,
  filename: `${id}.pdf`,
  mimeType: "application/pdf",
  sizeBytes: 10,
  phase: "uploading",
  sent: 0,
  ...more,
});
const withFiles = (...files: PendingFile[]): Pending => ({ ...nothingPending, files });
const sized = (name: string, type: string, size: number): File => {
  const made = new File([], name, { type });
  Object.defineProperty(made, "size", { value: size });
  return made;
};
const why = (files: File[], beside: { sizeBytes: number }[] = []) =>
  checked(files, beside).notTaken.map((each) => each.failure.message);

test("a message takes along what is up, and waits for what is not", () => {
  let pending = withFiles(file("a"), file("b", { phase: "ready", key: "kb" }));
  expect(isWhole(pending)).toBe(false);
  expect(attachmentsOf(pending).map((each) => each.key)).toEqual(["kb"]);
  pending = pendingReducer(pending, { type: "uploaded", id: "a", key: "ka" });
  expect(isWhole(pending)).toBe(true);
  expect(attachmentsOf(pending)).toEqual([
    { key: "ka", filename: "a.pdf", mimeType: "application/pdf", sizeBytes: 10 },
    { key: "kb", filename: "b.pdf", mimeType: "application/pdf", sizeBytes: 10 },
  ]);
});

test("a failed upload says why until it is tried again", () => {
  const failure = { code: "UPLOAD", message: "No.", hint: "" };
  let pending = pendingReducer(withFiles(file("a")), { type: "failed", id: "a", failure });
  expect(pending.files[0]).toMatchObject({ phase: "failed", failure });
  pending = pendingReducer(pending, { type: "uploading", id: "a" });
  expect(pending.files[0]?.failure).toBeUndefined();
});

test("files that come back stand before those that were added since, each once", () => {
  const pending = withFiles(file("b"), file("a"));
  const back = pendingReducer(pending, { type: "restored", files: [file("a")] });
  expect(back.files.map((each) => each.id)).toEqual(["a", "b"]);
});

test("the documents that are asked about outlive the message", () => {
  const asked = pendingReducer(withFiles(file("a")), { type: "about", documentIds: ["d"] });
  expect(pendingReducer(asked, { type: "sent" })).toEqual({ ...nothingPending, about: ["d"] });
});

test("a type is told by the browser, or else by the name", () => {
  expect(typeOf({ name: "x", type: "text/plain;charset=utf-8" })).toBe("text/plain");
  expect(typeOf({ name: "notes.MD", type: "" })).toBe("text/markdown");
  expect(typeOf({ name: "x.exe", type: "application/x-msdownload" })).toBe(
    "application/x-msdownload",
  );
});

test("what the server would refuse is refused before it goes up, and in words", () => {
  const { attachments: words } = text;
  expect(why([sized("a.exe", "application/x-msdownload", 1)])).toEqual([words.wrongType]);
  expect(why([sized("a.txt", "text/plain", 0)])).toEqual([words.empty]);
  expect(why([sized("a.png", "image/png", 5 * 2 ** 20 + 1)])).toEqual([words.largeImage]);
  expect(why([sized("a.pdf", "application/pdf", 4.5 * 2 ** 20 + 1)])).toEqual([
    words.largeDocument,
  ]);
  expect(why([sized("a.png", "image/png", 5 * 2 ** 20)])).toEqual([]);
  const small = Array.from({ length: 6 }, (_, index) => sized(`${index}.txt`, "text/plain", 1));
  expect(why(small)).toEqual([words.tooMany(5)]);
  const large = sized("a.png", "image/png", 5 * 2 ** 20);
  expect(why([large], [{ sizeBytes: 16 * 2 ** 20 }])).toEqual([words.largeTotal]);
});
