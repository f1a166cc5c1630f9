import { failureOf, RequestFailed, type Failure } from "../client/failure";
import { text } from "../messages";
import type { DocumentSummary, DocumentUpdated, PassageText } from "../protocol";
import { isBroken, isDone, type Document } from "../state/documents";
import type { Context } from "./context";
import { postFile } from "./upload";

export const MAX_BYTES = 50 * 1024 * 1024;
const PAGE = 100;

/** The agent's documents: listed, uploaded, followed while they are read, deleted. */
export class Documents {
  private readonly aborts = new Map<string, AbortController>();

  constructor(private readonly context: Context) {}

  async load(): Promise<void> {
    try {
      const { documents } = await this.context.client.request("listDocuments", { limit: PAGE });
      this.context.toDocuments({ type: "loaded", rows: documents.map(shown) });
    } catch (error) {
      this.context.toDocuments({ type: "loadFailed", failure: failureOf(error) });
    }
  }

  /** A document came a step further, here or elsewhere. */
  updated(frame: DocumentUpdated): void {
    const row = shown(frame);
    this.context.toDocuments({ type: "updated", row });
    if (isDone(row)) this.context.announce(text.announce.documentReady(row.filename));
    if (isBroken(row)) this.context.announce(text.announce.documentFailed(row.filename));
  }

  upload(files: Iterable<File>): void {
    for (const file of files) void this.send(crypto.randomUUID(), file);
  }

  async retry(id: string): Promise<void> {
    const upload = this.context.state.documents.uploads.find((each) => each.id === id);
    if (upload) await this.send(id, upload.file);
  }

  drop(id: string): void {
    this.aborts.get(id)?.abort();
    this.context.toDocuments({ type: "uploadDropped", id });
  }

  private async send(id: string, file: File): Promise<void> {
    this.context.toDocuments({ type: "uploading", upload: { id, file, sent: 0 } });
    if (file.size > MAX_BYTES) {
      this.context.toDocuments({ type: "uploadFailed", id, failure: text.documents.tooLarge });
      return;
    }
    const abort = new AbortController();
    this.aborts.set(id, abort);
    try {
      const { documentId, ...form } = await this.context.client.request("requestUpload", {
        filename: file.name,
        mimeType: file.type || "application/octet-stream",
        sizeBytes: file.size,
      });
      const progress = (sent: number) => this.context.toDocuments({ type: "progress", id, sent });
      if (!abort.signal.aborted) await postFile(form, file, progress, abort.signal);
      if (!documentId) throw new RequestFailed(text.documents.uploadBroken);
      this.context.toDocuments({ type: "uploaded", id, row: waiting(documentId, file) });
    } catch (error) {
      if (!abort.signal.aborted) {
        this.context.toDocuments({ type: "uploadFailed", id, failure: failureOf(error) });
      }
    } finally {
      this.aborts.delete(id);
    }
  }

  /** The whole passage of a source; null where it is gone. */
  async passage(chunkId: string): Promise<PassageText | null> {
    try {
      return await this.context.client.request("readPassage", { chunkId });
    } catch {
      return null; // the source's own words are shown instead
    }
  }

  async remove(documentId: string): Promise<Failure | null> {
    try {
      await this.context.client.request("deleteDocument", { documentId });
      this.context.toDocuments({ type: "removed", documentId });
      return null;
    } catch (error) {
      return failureOf(error);
    }
  }
}

function waiting(documentId: string, file: File): Document {
  return {
    documentId,
    filename: file.name,
    status: "PENDING",
    progress: null,
    sizeBytes: file.size,
  };
}

function shown(row: DocumentSummary | DocumentUpdated): Document {
  const code = row.errorCode;
  return {
    documentId: row.documentId,
    filename: row.filename,
    status: row.status,
    progress: "progress" in row ? row.progress : null,
    ...(row.etag && { etag: row.etag }),
    ...("sizeBytes" in row && { sizeBytes: row.sizeBytes }),
    ...(code && { failure: { code, message: row.message ?? "", hint: row.recoveryHint ?? "" } }),
  };
}
