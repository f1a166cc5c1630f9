import type { LinkState } from "../client/link";
import type { WhoAmIData } from "../protocol";
import {
  documentsReducer,
  emptyDocuments,
  type Documents,
  type DocumentsAction,
} from "./documents";
import { emptyList, listReducer, type List, type ListAction } from "./list";
import { emptyThread, threadReducer, type Thread, type ThreadAction } from "./thread";

/** Where text that belongs to no conversation yet is kept. */
export const NEW = "new";

export interface AppState {
  link: LinkState;
  me?: WhoAmIData;
  list: List;
  threads: Record<string, Thread>;
  /** What is typed and not sent, by conversation. */
  drafts: Record<string, string>;
  documents: Documents;
  /** What a screen reader is told; `count` makes equal words news. */
  announcement: { words: string; count: number };
}

export type AppAction =
  | { on: "link"; state: LinkState }
  | { on: "me"; me: WhoAmIData }
  | { on: "list"; action: ListAction }
  | { on: "thread"; id: string; action: ThreadAction }
  | { on: "threadMoved"; from: string; to: string }
  | { on: "threadGone"; id: string }
  | { on: "draft"; id: string; text: string }
  | { on: "documents"; action: DocumentsAction }
  | { on: "announce"; words: string };

export const emptyApp: AppState = {
  link: "connecting",
  list: emptyList,
  threads: {},
  drafts: {},
  documents: emptyDocuments,
  announcement: { words: "", count: 0 },
};

export function appReducer(state: AppState, action: AppAction): AppState {
  switch (action.on) {
    case "link":
      return { ...state, link: action.state };
    case "me":
      return { ...state, me: action.me };
    case "list":
      return { ...state, list: listReducer(state.list, action.action) };
    case "documents":
      return { ...state, documents: documentsReducer(state.documents, action.action) };
    case "thread": {
      const thread = threadReducer(state.threads[action.id] ?? emptyThread, action.action);
      return { ...state, threads: { ...state.threads, [action.id]: thread } };
    }
    case "threadMoved": {
      const { [action.from]: moved, ...threads } = state.threads;
      return moved ? { ...state, threads: { ...threads, [action.to]: moved } } : state;
    }
    case "threadGone": {
      const threads = without(state.threads, action.id);
      const drafts = without(state.drafts, action.id);
      return { ...state, threads, drafts };
    }
    case "draft":
      return { ...state, drafts: { ...state.drafts, [action.id]: action.text } };
    case "announce":
      return {
        ...state,
        announcement: { words: action.words, count: state.announcement.count + 1 },
      };
  }
}

function without<T>(record: Record<string, T>, id: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== id));
}
