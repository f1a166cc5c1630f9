import type { Failure } from "../client/failure";
import type { ConversationSummary } from "../protocol";

export interface List {
  phase: "loading" | "ready" | "failed";
  failure?: Failure;
  query: string;
  rows: ConversationSummary[];
  next: string | null;
}

export type ListAction =
  | { type: "searching"; query: string }
  | { type: "loaded"; query: string; rows: ConversationSummary[]; next: string | null }
  | { type: "more"; query: string; rows: ConversationSummary[]; next: string | null }
  | { type: "failed"; failure: Failure }
  | { type: "added"; row: ConversationSummary }
  | { type: "renamed"; conversationId: string; title: string | null }
  | { type: "removed"; conversationId: string };

export const emptyList: List = { phase: "loading", query: "", rows: [], next: null };

export function listReducer(list: List, action: ListAction): List {
  switch (action.type) {
    case "searching":
      return { ...list, query: action.query };
    case "loaded":
      if (action.query !== list.query) return list; // an answer to an older search
      return { query: list.query, phase: "ready", rows: action.rows, next: action.next };
    case "more":
      if (action.query !== list.query) return list;
      return { ...list, rows: unique([...list.rows, ...action.rows]), next: action.next };
    case "failed":
      return { ...list, phase: list.rows.length > 0 ? "ready" : "failed", failure: action.failure };
    case "added":
      return { ...list, rows: unique([action.row, ...list.rows]) };
    case "renamed":
      return {
        ...list,
        rows: list.rows.map((row) =>
          row.conversationId === action.conversationId ? { ...row, title: action.title } : row,
        ),
      };
    case "removed":
      return {
        ...list,
        rows: list.rows.filter((row) => row.conversationId !== action.conversationId),
      };
  }
}

function unique(rows: ConversationSummary[]): ConversationSummary[] {
  return [...new Map(rows.map((row) => [row.conversationId, row])).values()];
}
