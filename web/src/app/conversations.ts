import { failureOf, type Failure } from "../client/failure";
import { forgetSent, rememberDraft } from "./memory";
import { runningTurn } from "../state/thread";
import type { Context } from "./context";
import { currentConversation, go } from "./route";

const PAGE = 30;

/** The list of conversations: read, searched, renamed, deleted. */
export class Conversations {
  constructor(private readonly context: Context) {}

  async load(): Promise<void> {
    const { query } = this.context.state.list;
    await this.read({ type: "loaded", query, before: null });
  }

  async search(query: string): Promise<void> {
    this.context.toList({ type: "searching", query });
    await this.load();
  }

  async more(): Promise<void> {
    const { query, next } = this.context.state.list;
    if (next) await this.read({ type: "more", query, before: next });
  }

  private async read(asked: { type: "loaded" | "more"; query: string; before: string | null }) {
    const { type, query, before } = asked;
    try {
      const page = await this.context.client.request("listConversations", {
        limit: PAGE,
        before,
        query: query || null,
      });
      this.context.toList({ type, query, rows: page.conversations, next: page.next });
    } catch (error) {
      this.context.toList({ type: "failed", failure: failureOf(error) });
    }
  }

  /** Rename at once; put the old title back if that is refused. */
  async rename(conversationId: string, title: string): Promise<Failure | null> {
    const row = this.context.state.list.rows.find((each) => each.conversationId === conversationId);
    this.context.toList({ type: "renamed", conversationId, title });
    try {
      const { conversation } = await this.context.client.request("updateConversation", {
        conversationId,
        title,
      });
      this.context.toList({ type: "renamed", conversationId, title: conversation.title });
      return null;
    } catch (error) {
      this.context.toList({ type: "renamed", conversationId, title: row?.title ?? null });
      return failureOf(error);
    }
  }

  async remove(conversationId: string): Promise<Failure | null> {
    const running = runningTurn(this.context.thread(conversationId));
    try {
      if (running?.turnId)
        await this.context.client.request("cancelTurn", { turnId: running.turnId });
      await this.context.client.request("deleteConversation", { conversationId });
    } catch (error) {
      return failureOf(error);
    }
    this.gone(conversationId);
    return null;
  }

  /** A conversation was deleted, here or elsewhere. */
  gone(conversationId: string): void {
    this.context.toList({ type: "removed", conversationId });
    this.context.store.dispatch({ on: "threadGone", id: conversationId });
    forgetSent(conversationId);
    rememberDraft(conversationId, "");
    if (currentConversation() === conversationId) go(null, { replace: true });
  }
}
