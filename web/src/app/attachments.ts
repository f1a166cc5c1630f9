import { failureOf, RequestFailed, type Failure } from "../client/failure";
import { text } from "../messages";
import { pendingOf, type Attachment, type PendingFile } from "../state/pending";
import { checked, isImage, typeOf } from "./attachable";
import type { Context } from "./context";
import { postFile } from "./upload";

/** Files that go with messages: checked, uploaded, brought back, and shown again. */
export class Attachments {
  private readonly aborts = new Map<string, AbortController>();
  /** The files of messages that are on their way. */
  private readonly gone = new Map<string, PendingFile[]>();
  /** Where an attachment can be seen, by its key. */
  private readonly addresses = new Map<string, Promise<string>>();

  constructor(private readonly context: Context) {}

  add(id: string, files: readonly File[]): void {
    const { taken, notTaken } = checked(files, this.context.pending(id).files);
    const added = taken.map(pendingFile);
    this.context.toPending(id, { type: "added", files: added, notTaken });
    for (const each of notTaken) this.context.announce(`${each.filename}: ${each.failure.message}`);
    for (const each of added) void this.upload(id, each);
  }

  retry(id: string, file: PendingFile): void {
    this.context.toPending(id, { type: "uploading", id: file.id });
    void this.upload(id, file);
  }

  remove(id: string, fileId: string): void {
    this.aborts.get(fileId)?.abort();
    const file = this.context.pending(id).files.find((each) => each.id === fileId);
    if (file?.preview) URL.revokeObjectURL(file.preview);
    this.context.toPending(id, { type: "removed", id: fileId });
  }

  seen(id: string): void {
    this.context.toPending(id, { type: "noticesSeen" });
  }

  /** Ask about a document, or about all again. */
  toggleAbout(id: string, documentId: string): void {
    const { about } = this.context.pending(id);
    const others = about.filter((each) => each !== documentId);
    const documentIds = others.length < about.length ? others : [...about, documentId];
    this.context.toPending(id, { type: "about", documentIds });
  }

  private async upload(id: string, pending: PendingFile): Promise<void> {
    const { file, filename, mimeType, sizeBytes } = pending;
    if (!file) return;
    const abort = new AbortController();
    this.aborts.set(pending.id, abort);
    const change = { id: pending.id };
    try {
      const form = await this.context.client.request("requestUpload", {
        filename,
        mimeType,
        sizeBytes,
        purpose: "attachment",
      });
      const key = form.key ?? form.fields["key"];
      if (!key) throw new RequestFailed(text.documents.uploadBroken);
      const progress = (sent: number) =>
        this.context.toPending(id, { ...change, type: "progress", sent });
      if (!abort.signal.aborted) await postFile(form, file, progress, abort.signal);
      if (pending.preview) this.addresses.set(key, Promise.resolve(pending.preview));
      this.context.toPending(id, { ...change, type: "uploaded", key });
    } catch (error) {
      if (abort.signal.aborted) return;
      this.context.toPending(id, { ...change, type: "failed", failure: failureOf(error) });
    } finally {
      this.aborts.delete(pending.id);
    }
  }

  /** A message takes its files along. */
  sent(id: string, messageId: string): void {
    const { files } = this.context.pending(id);
    if (files.length > 0) this.gone.set(messageId, files);
    this.context.toPending(id, { type: "sent" });
  }

  /** The message was not taken: its files are back, the one that is at fault marked. */
  restore(id: string, of: { messageId: string; attachments: Attachment[] }, failure: Failure) {
    const files = this.gone.get(of.messageId) ?? of.attachments.map(pendingOf);
    this.gone.delete(of.messageId);
    if (files.length === 0) return;
    this.context.toPending(id, {
      type: "restored",
      files: files.map((file): PendingFile => {
        const atFault =
          failure.code === "ATTACHMENT_FAILED" && failure.message.includes(file.filename);
        return atFault ? { ...file, phase: "failed" } : file;
      }),
    });
  }

  /** An address that shows an attachment, for a while. */
  addressOf(conversationId: string, messageId: string, key: string): Promise<string> {
    const known = this.addresses.get(key);
    if (known) return known;
    const asked = this.context.client
      .request("attachmentUrl", { conversationId, messageId, key })
      .then(({ url }) => url);
    this.addresses.set(key, asked);
    const forget = () => this.addresses.delete(key);
    asked.catch(forget);
    setTimeout(forget, KEPT_MS);
    return asked;
  }
}

const KEPT_MS = 4 * 60_000;

function pendingFile(file: File): PendingFile {
  return {
    id: crypto.randomUUID(),
    filename: file.name,
    mimeType: typeOf(file),
    sizeBytes: file.size,
    phase: "uploading",
    sent: 0,
    file,
    ...(isImage(typeOf(file)) && { preview: URL.createObjectURL(file) }),
  };
}
