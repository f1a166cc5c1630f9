import type { Failure } from "../client/failure";

export interface Document {
  documentId: string;
  filename: string;
  status: string;
  /** 0 to 1, where it is known. */
  progress: number | null;
  /** Names the uploaded file that the status is about. */
  etag?: string;
  sizeBytes?: number;
  failure?: Failure;
}

/** A file on its way up. */
export interface Upload {
  id: string;
  file: File;
  sent: number;
  failure?: Failure;
}

export interface Documents {
  phase: "loading" | "ready" | "failed";
  failure?: Failure;
  rows: Document[];
  uploads: Upload[];
}

export type DocumentsAction =
  | { type: "loaded"; rows: Document[] }
  | { type: "loadFailed"; failure: Failure }
  | { type: "updated"; row: Document }
  | { type: "removed"; documentId: string }
  | { type: "uploading"; upload: Upload }
  | { type: "progress"; id: string; sent: number }
  | { type: "uploadFailed"; id: string; failure: Failure }
  | { type: "uploaded"; id: string; row: Document }
  | { type: "uploadDropped"; id: string };

export const emptyDocuments: Documents = { phase: "loading", rows: [], uploads: [] };

export const isDone = (row: Document): boolean => row.status === "COMPLETED";
export const isBroken = (row: Document): boolean => row.status === "FAILED";

export function documentsReducer(state: Documents, action: DocumentsAction): Documents {
  switch (action.type) {
    case "loaded":
      return { phase: "ready", rows: action.rows, uploads: state.uploads };
    case "loadFailed":
      return { ...state, phase: "failed", failure: action.failure };
    case "updated":
      return { ...state, rows: updated(state.rows, action.row) };
    case "removed":
      return { ...state, rows: state.rows.filter((row) => row.documentId !== action.documentId) };
    case "uploading":
      return {
        ...state,
        uploads: [action.upload, ...state.uploads.filter((each) => each.id !== action.upload.id)],
      };
    case "progress":
      return { ...state, uploads: changed(state.uploads, action.id, { sent: action.sent }) };
    case "uploadFailed":
      return { ...state, uploads: changed(state.uploads, action.id, { failure: action.failure }) };
    case "uploaded": {
      const uploads = state.uploads.filter((each) => each.id !== action.id);
      const known = state.rows.some((row) => row.documentId === action.row.documentId);
      return { ...state, uploads, rows: known ? state.rows : [action.row, ...state.rows] };
    }
    case "uploadDropped":
      return { ...state, uploads: state.uploads.filter((each) => each.id !== action.id) };
  }
}

function updated(rows: Document[], row: Document): Document[] {
  const known = rows.some((each) => each.documentId === row.documentId);
  if (!known) return [row, ...rows];
  return rows.map((each) => {
    if (each.documentId !== row.documentId || isLate(row, each)) return each;
    return { ...row, ...(each.sizeBytes !== undefined && { sizeBytes: each.sizeBytes }) };
  });
}

/** A frame that was overtaken by the end of the same file. */
function isLate(row: Document, known: Document): boolean {
  return (
    (isDone(known) || isBroken(known)) && row.etag === known.etag && !isDone(row) && !isBroken(row)
  );
}

function changed(uploads: Upload[], id: string, part: Partial<Upload>): Upload[] {
  return uploads.map((each) => (each.id === id ? { ...each, ...part } : each));
}
