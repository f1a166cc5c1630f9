import { failureOf } from "../client/failure";
import { NEW, type Fresh } from "../state/app";
import { isUnkept } from "../state/list";
import { attachmentsOf } from "../state/pending";
import { runningTurn, type Edit, type UserItem } from "../state/thread";
import { isOver } from "../state/turn";
import type { Attachments } from "./attachments";
import type { Context } from "./context";
import type { Conversations } from "./conversations";
import { forgetSent, recallSent } from "./memory";
import { Sending } from "./sending";

const PAGE = 30;

/** Messages and the turns that answer them. */
export class Chat {
  private readonly sending: Sending;

  constructor(
    private readonly context: Context,
    conversations: Conversations,
    files: Attachments,
  ) {
    const reload = (id: string) => void this.load(id);
    this.sending = new Sending(context, { conversations, files, reload });
  }

  /** Show a conversation, and go on with what runs in it. */
  async open(conversationId: string): Promise<void> {
    this.context.toThread(conversationId, { type: "loading" });
    await this.load(conversationId);
  }

  /** Read a conversation anew, unless an answer is coming in anyway. */
  async refresh(conversationId: string): Promise<void> {
    if (!runningTurn(this.context.thread(conversationId))) await this.load(conversationId);
  }

  private async load(conversationId: string): Promise<void> {
    try {
      const page = await this.context.client.request("conversationMessages", {
        conversationId,
        limit: PAGE,
      });
      this.context.toThread(conversationId, {
        type: "loaded",
        rows: page.messages,
        older: page.next,
      });
      this.goOn(conversationId, new Set(page.messages.map((row) => row.messageId)));
    } catch (error) {
      const failure = failureOf(error);
      this.context.toThread(conversationId, { type: "loadFailed", failure });
      if (isUnkept(conversationId) && failure.code === "CONVERSATION_NOT_FOUND")
        this.context.toList({ type: "removed", conversationId }); // its time is over
    }
  }

  async older(conversationId: string): Promise<void> {
    const thread = this.context.thread(conversationId);
    if (!thread?.older || thread.loadingOlder) return;
    this.context.toThread(conversationId, { type: "loadingOlder", now: true });
    try {
      const page = await this.context.client.request("conversationMessages", {
        conversationId,
        limit: PAGE,
        before: thread.older,
      });
      const { messages: rows, next } = page;
      this.context.toThread(conversationId, { type: "loadedOlder", rows, older: next });
    } catch (error) {
      this.context.toThread(conversationId, { type: "loadingOlder", now: false });
      this.context.announce(failureOf(error).message);
    }
  }

  /** After loading: follow the turn that runs, and send again what a reload cut off before it arrived. */
  private goOn(conversationId: string, stored: ReadonlySet<string>): void {
    const running = runningTurn(this.context.thread(conversationId));
    if (running?.turnId && !this.context.client.isFollowing(running.turnId)) {
      this.context.client.follow(
        running.turnId,
        this.sending.handlers(conversationId, running.key),
      );
    }
    const sent = recallSent(conversationId);
    if (!sent || running) return;
    if (stored.has(sent.messageId)) forgetSent(conversationId);
    else void this.sending.deliver(sent); // the same id: if it did arrive, it is answered once
  }

  /** Send what is in the message field; without a conversation one is opened for it. */
  send(conversationId: string | null, content: string): Promise<void> {
    const pending = this.context.pending(conversationId ?? NEW);
    const message = { content, attachments: attachmentsOf(pending), documentIds: pending.about };
    return this.sending.send(conversationId, message);
  }

  /** Let a message take the place of an earlier one and of all that came after it. */
  resend(conversationId: string, edit: Edit): Promise<void> {
    return this.sending.replace(conversationId, edit);
  }

  /** Have the last message answered anew. */
  async again(conversationId: string, messageId: string): Promise<void> {
    const asked = this.context
      .thread(conversationId)
      ?.items.find((item): item is UserItem => item.kind === "user" && item.id === messageId);
    if (!asked) return;
    const { text: words, attachments } = asked;
    await this.resend(conversationId, { messageId, text: words, attachments });
  }

  edit(id: string, edit: Edit | null): void {
    this.context.toThread(id, { type: "edit", edit });
  }

  draft(id: string, value: string): void {
    this.context.draft(id, value);
  }

  /** How the next conversation begins. */
  fresh(fresh: Partial<Fresh>): void {
    this.context.store.dispatch({ on: "fresh", fresh });
  }

  dismissRefusal(id: string): void {
    this.context.toThread(id, { type: "refusalSeen" });
  }

  /** Stop the answer that runs. */
  async stop(conversationId: string): Promise<void> {
    const turn = runningTurn(this.context.thread(conversationId));
    if (!turn?.turnId || isOver(turn)) return;
    try {
      await this.context.client.request("cancelTurn", { turnId: turn.turnId });
    } catch (error) {
      this.context.announce(failureOf(error).message);
    }
  }
}
