import type { Client } from "../client/client";
import type { AppAction, AppState } from "../state/app";
import { nothingPending, type Pending, type PendingAction } from "../state/pending";
import { rememberAside, rememberDraft, rememberPending } from "./memory";
import type { Store } from "../state/store";
import type { ListAction } from "../state/list";
import type { Thread, ThreadAction } from "../state/thread";
import type { DocumentsAction } from "../state/documents";

/** What every part of the controller works with. */
export class Context {
  constructor(
    readonly client: Client,
    readonly store: Store<AppState, AppAction>,
  ) {}

  get state(): AppState {
    return this.store.get();
  }

  thread(id: string): Thread | undefined {
    return this.state.threads[id];
  }

  pending(id: string): Pending {
    return this.state.pending[id] ?? nothingPending;
  }

  toPending(id: string, action: PendingAction): void {
    this.store.dispatch({ on: "pending", id, action });
    rememberPending(id, this.pending(id));
  }

  /** What is typed in a conversation, kept over a reload. */
  draft(id: string, text: string): void {
    this.store.dispatch({ on: "draft", id, text });
    rememberDraft(id, text);
  }

  /** What was begun under one name goes on under another. */
  moved(from: string, to: string): void {
    this.store.dispatch({ on: "threadMoved", from, to });
    for (const id of [from, to]) {
      this.draft(id, this.state.drafts[id] ?? "");
      rememberPending(id, this.pending(id));
    }
  }

  toThread(id: string, action: ThreadAction): void {
    this.store.dispatch({ on: "thread", id, action });
  }

  toList(action: ListAction): void {
    const before = this.state.list.aside;
    this.store.dispatch({ on: "list", action });
    const { aside } = this.state.list;
    if (aside !== before) rememberAside(aside);
  }

  toDocuments(action: DocumentsAction): void {
    this.store.dispatch({ on: "documents", action });
  }

  announce(words: string): void {
    this.store.dispatch({ on: "announce", words });
  }
}
