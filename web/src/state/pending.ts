import type { Failure } from "../client/failure";

/** A file that was uploaded to go with a message. */
export interface Attachment {
  key: string;
  filename: string;
  mimeType: string;
  sizeBytes: number;
}

/** A file in the message field: on its way up, there, or not accepted. */
export interface PendingFile {
  id: string;
  filename: string;
  mimeType: string;
  sizeBytes: number;
  phase: "uploading" | "ready" | "failed";
  /** 0 to 1. */
  sent: number;
  key?: string;
  /** The file itself; a reload loses it. */
  file?: File;
  /** An address that shows an image meanwhile. */
  preview?: string;
  failure?: Failure;
}

/** A file that was not taken at all. */
export interface NotTaken {
  filename: string;
  failure: Failure;
}

/** What goes with the next message, beside its words. */
export interface Pending {
  files: PendingFile[];
  notTaken: NotTaken[];
  /** Documents that the question is about. */
  about: string[];
}

export type PendingAction =
  | { type: "added"; files: PendingFile[]; notTaken: NotTaken[] }
  | { type: "progress"; id: string; sent: number }
  | { type: "uploading"; id: string }
  | { type: "uploaded"; id: string; key: string }
  | { type: "failed"; id: string; failure: Failure }
  | { type: "removed"; id: string }
  | { type: "sent" }
  | { type: "restored"; files: PendingFile[] }
  | { type: "noticesSeen" }
  | { type: "about"; documentIds: string[] };

export const nothingPending: Pending = { files: [], notTaken: [], about: [] };

export function pendingReducer(pending: Pending, action: PendingAction): Pending {
  switch (action.type) {
    case "added":
      return {
        ...pending,
        files: [...pending.files, ...action.files],
        notTaken: action.notTaken,
      };
    case "progress":
      return changed(pending, action.id, { sent: action.sent });
    case "uploading":
      return changed(pending, action.id, { phase: "uploading", sent: 0 });
    case "uploaded":
      return changed(pending, action.id, { phase: "ready", sent: 1, key: action.key });
    case "failed":
      return changed(pending, action.id, { phase: "failed", failure: action.failure });
    case "removed":
      return {
        ...pending,
        notTaken: [],
        files: pending.files.filter((file) => file.id !== action.id),
      };
    case "sent":
      return { ...pending, files: [], notTaken: [] };
    case "restored": {
      const back = new Set(action.files.map((file) => file.id));
      return {
        ...pending,
        files: [...action.files, ...pending.files.filter((file) => !back.has(file.id))],
      };
    }
    case "noticesSeen":
      return { ...pending, notTaken: [] };
    case "about":
      return { ...pending, about: action.documentIds };
  }
}

function changed(pending: Pending, id: string, part: Partial<PendingFile>): Pending {
  const files = pending.files.map((file) => {
    if (file.id !== id) return file;
    const { failure: _old, ...rest } = file;
    return { ...rest, ...part };
  });
  return { ...pending, files };
}

/** What a message takes along of it. */
export function attachmentsOf(pending: Pending): Attachment[] {
  return pending.files.flatMap(({ key, filename, mimeType, sizeBytes }) =>
    key ? [{ key, filename, mimeType, sizeBytes }] : [],
  );
}

export const isWhole = (pending: Pending): boolean =>
  pending.files.every((file) => file.phase === "ready");

/** An uploaded file as it stands in the message field. */
export function pendingOf(attachment: Attachment): PendingFile {
  return { ...attachment, id: attachment.key, phase: "ready", sent: 1 };
}
