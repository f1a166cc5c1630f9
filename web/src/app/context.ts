import type { Client } from "../client/client";
import type { AppAction, AppState } from "../state/app";
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

  toThread(id: string, action: ThreadAction): void {
    this.store.dispatch({ on: "thread", id, action });
  }

  toList(action: ListAction): void {
    this.store.dispatch({ on: "list", action });
  }

  toDocuments(action: DocumentsAction): void {
    this.store.dispatch({ on: "documents", action });
  }

  announce(words: string): void {
    this.store.dispatch({ on: "announce", words });
  }
}
