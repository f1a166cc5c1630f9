import type { LinkState } from "../client/link";
import type { WhoAmIData } from "../protocol";
import {
  documentsReducer,
  emptyDocuments,
  type Documents,
  type DocumentsAction,
} from "./documents";
import { emptyList, listReducer, type List, type ListAction } from "./list";
import { emptyModels, modelsReducer, type Models, type ModelsAction } from "./models";
import { nothingPending, pendingReducer, type Pending, type PendingAction } from "./pending";
import { emptyThread, threadReducer, type Thread, type ThreadAction } from "./thread";

/** Where text that belongs to no conversation yet is kept. */
export const NEW = "new";

export interface Fresh {
  /** Whom it is with, if not the default agent. */
  agentId?: string;
  store: boolean;
}

export interface AppState {
  link: LinkState;
  me?: WhoAmIData;
  list: List;
  threads: Record<string, Thread>;
  /** What is typed and not sent, by conversation. */
  drafts: Record<string, string>;
  /** What goes with it. */
  pending: Record<string, Pending>;
  /** How the next conversation begins. */
  fresh: Fresh;
  documents: Documents;
  models: Models;
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
  | { on: "pending"; id: string; action: PendingAction }
  | { on: "fresh"; fresh: Partial<Fresh> }
  | { on: "agentModel"; agentId: string; llmModel: string | null }
  | { on: "models"; action: ModelsAction }
  | { on: "documents"; action: DocumentsAction }
  | { on: "announce"; words: string };

export const emptyApp: AppState = {
  link: "connecting",
  list: emptyList,
  threads: {},
  drafts: {},
  pending: {},
  fresh: { store: true },
  models: emptyModels,
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
      const { [action.from]: along, ...pending } = state.pending;
      return {
        ...state,
        threads: moved ? { ...threads, [action.to]: moved } : threads,
        pending: along ? { ...pending, [action.to]: along } : pending,
      };
    }
    case "threadGone": {
      const threads = without(state.threads, action.id);
      const drafts = without(state.drafts, action.id);
      return { ...state, threads, drafts, pending: without(state.pending, action.id) };
    }
    case "draft":
      return { ...state, drafts: { ...state.drafts, [action.id]: action.text } };
    case "pending": {
      const pending = pendingReducer(state.pending[action.id] ?? nothingPending, action.action);
      return { ...state, pending: { ...state.pending, [action.id]: pending } };
    }
    case "fresh":
      return { ...state, fresh: { ...state.fresh, ...action.fresh } };
    case "agentModel":
      return state.me ? { ...state, me: withModel(state.me, action) } : state;
    case "models":
      return { ...state, models: modelsReducer(state.models, action.action) };
    case "announce":
      return {
        ...state,
        announcement: { words: action.words, count: state.announcement.count + 1 },
      };
  }
}

function withModel(me: WhoAmIData, of: { agentId: string; llmModel: string | null }): WhoAmIData {
  const { agentId, llmModel } = of;
  const agents = me.agents.map((each) => (each.agentId === agentId ? { ...each, llmModel } : each));
  return { ...me, agents };
}

function without<T>(record: Record<string, T>, id: string): Record<string, T> {
  return Object.fromEntries(Object.entries(record).filter(([key]) => key !== id));
}
