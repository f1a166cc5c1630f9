import type { Failure } from "../client/failure";
import type { ConversationSummary, Feedback } from "../protocol";

export interface List {
  phase: "loading" | "ready" | "failed";
  failure?: Failure;
  query: string;
  rows: ConversationSummary[];
  next: string | null;
  /** Conversations of this tab that are not kept; no page of the list has them. */
  aside: ConversationSummary[];
}

/** Whether a conversation is forgotten after a while: its id tells, it is of version 8. */
export const isUnkept = (conversationId: string): boolean => conversationId[14] === "8";

/** A conversation, kept or not, as far as it is known. */
export function rowOf(list: List, id: string | null): ConversationSummary | undefined {
  const is = (row: ConversationSummary) => row.conversationId === id;
  return list.rows.find(is) ?? list.aside.find(is);
}

export type ListAction =
  | { type: "searching"; query: string }
  | { type: "loaded"; query: string; rows: ConversationSummary[]; next: string | null }
  | { type: "more"; query: string; rows: ConversationSummary[]; next: string | null }
  | { type: "failed"; failure: Failure }
  | { type: "added"; row: ConversationSummary }
  | { type: "renamed"; conversationId: string; title: string | null }
  | { type: "rated"; conversationId: string; feedback: Feedback | null }
  | { type: "recalled"; aside: ConversationSummary[] }
  | { type: "removed"; conversationId: string };

export const emptyList: List = { phase: "loading", query: "", rows: [], next: null, aside: [] };

export function listReducer(list: List, action: ListAction): List {
  switch (action.type) {
    case "searching":
      return { ...list, query: action.query };
    case "loaded":
      if (action.query !== list.query) return list; // an answer to an older search
      return without({ ...list, phase: "ready", rows: action.rows, next: action.next });
    case "more":
      if (action.query !== list.query) return list;
      return { ...list, rows: unique([...list.rows, ...action.rows]), next: action.next };
    case "failed":
      return { ...list, phase: list.rows.length > 0 ? "ready" : "failed", failure: action.failure };
    case "added":
      if (isUnkept(action.row.conversationId))
        return { ...list, aside: unique([action.row, ...list.aside]) };
      return { ...list, rows: unique([action.row, ...list.rows]) };
    case "recalled":
      return { ...list, aside: action.aside };
    case "renamed":
      return {
        ...list,
        rows: changed(list.rows, action.conversationId, { title: action.title }),
      };
    case "rated":
      return {
        ...list,
        rows: changed(list.rows, action.conversationId, { feedback: action.feedback }),
      };
    case "removed":
      return {
        ...list,
        rows: list.rows.filter((row) => row.conversationId !== action.conversationId),
        aside: list.aside.filter((row) => row.conversationId !== action.conversationId),
      };
  }
}

function changed(rows: ConversationSummary[], id: string, part: Partial<ConversationSummary>) {
  return rows.map((row) => (row.conversationId === id ? { ...row, ...part } : row));
}

/** Without what went wrong before. */
function without(list: List): List {
  const { failure: _gone, ...rest } = list;
  return rest;
}

function unique(rows: ConversationSummary[]): ConversationSummary[] {
  return [...new Map(rows.map((row) => [row.conversationId, row])).values()];
}
