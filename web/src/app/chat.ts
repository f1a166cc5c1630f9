import { failureOf, type Failure } from "../client/failure";
import type { TurnHandlers } from "../client/client";
import { text } from "../messages";
import type { TurnEvent } from "../protocol";
import { NEW } from "../state/app";
import { runningTurn } from "../state/thread";
import { answerOf, isOver, type Turn } from "../state/turn";
import type { Context } from "./context";
import type { Conversations } from "./conversations";
import { forgetSent, recallSent, rememberDraft, rememberSent, type SentMessage } from "./memory";
import { currentConversation, go } from "./route";

const PAGE = 30;

/** Messages and the turns that answer them. */
export class Chat {
  constructor(
    private readonly context: Context,
    private readonly conversations: Conversations,
  ) {}

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
      this.context.toThread(conversationId, { type: "loadFailed", failure: failureOf(error) });
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
      this.context.client.follow(running.turnId, this.handlers(conversationId, running.key));
    }
    const sent = recallSent(conversationId);
    if (!sent || running) return;
    if (stored.has(sent.messageId)) forgetSent(conversationId);
    else void this.deliver(sent); // the same id: if it did arrive, it is answered once
  }

  /** Send a message; without a conversation one is opened for it. */
  async send(conversationId: string | null, content: string): Promise<void> {
    const messageId = crypto.randomUUID();
    const draftId = conversationId ?? NEW;
    this.draft(draftId, "");
    const target = conversationId ?? (await this.begin(messageId, content));
    if (target) await this.deliver({ conversationId: target, messageId, content });
  }

  private async begin(messageId: string, content: string): Promise<string | null> {
    this.show(NEW, messageId, content);
    rememberDraft(NEW, content); // a reload before there is a conversation must not lose it
    try {
      const { conversation } = await this.context.client.request("createConversation", {});
      const id = conversation.conversationId;
      rememberDraft(NEW, "");
      const title = content.trim().split("\n", 1)[0]?.slice(0, 80) ?? null;
      this.context.toList({ type: "added", row: { ...conversation, title, messageCount: 1 } });
      this.context.store.dispatch({ on: "threadMoved", from: NEW, to: id });
      if (currentConversation() === null) go(id, { replace: true });
      return id;
    } catch (error) {
      this.refuse(NEW, { messageId, content }, failureOf(error));
      return null;
    }
  }

  private show(id: string, messageId: string, content: string): void {
    const known = this.context
      .thread(id)
      ?.items.some((item) => item.kind === "user" && item.id === messageId);
    const at = new Date().toISOString();
    if (!known) this.context.toThread(id, { type: "sent", messageId, text: content, at });
  }

  private async deliver(message: SentMessage): Promise<void> {
    const { conversationId, messageId, content } = message;
    this.show(conversationId, messageId, content);
    rememberSent(message);
    try {
      const turnId = await this.context.client.chat(
        { conversationId, messageId, content, timezone: zone() },
        this.handlers(conversationId, messageId, content),
      );
      this.context.toThread(conversationId, { type: "accepted", messageId, turnId });
    } catch (error) {
      this.refuse(conversationId, message, failureOf(error));
    }
  }

  private handlers(conversationId: string, key: string, content?: string): TurnHandlers {
    return {
      event: (event) => {
        this.context.toThread(conversationId, { type: "event", event, key });
        if (event.type === "ChatComplete" || event.type === "ChatError") {
          this.ended(conversationId, key, event);
        }
      },
      refused: (failure) => {
        if (content !== undefined)
          this.refuse(conversationId, { messageId: key, content }, failure);
      },
      lost: () => {
        forgetSent(conversationId, key);
        void this.load(conversationId);
      },
    };
  }

  private ended(conversationId: string, key: string, event: TurnEvent): void {
    forgetSent(conversationId, key);
    const turn = this.context
      .thread(conversationId)
      ?.items.find((item): item is Turn => item.kind === "turn" && item.key === key);
    if (turn?.stale) void this.load(conversationId);
    const answer = turn ? answerOf(turn) : "";
    if (event.type === "ChatError") this.context.announce(`${event.message} ${event.recoveryHint}`);
    else this.context.announce(text.announce.answered(answer));
    void this.conversations.load();
  }

  /** The message became no turn: its text goes back to where it was typed. */
  private refuse(
    id: string,
    message: { messageId: string; content: string },
    failure: Failure,
  ): void {
    const { messageId, content } = message;
    if (id !== NEW) forgetSent(id, messageId);
    this.context.toThread(id, { type: "refused", refusal: { failure, text: content, messageId } });
    const typed = this.context.state.drafts[id] ?? "";
    this.draft(id, typed ? `${content}\n\n${typed}` : content);
    this.context.announce(text.announce.refused(failure));
    if (failure.code === "TURN_IN_PROGRESS") void this.load(id);
  }

  draft(id: string, value: string): void {
    this.context.store.dispatch({ on: "draft", id, text: value });
    rememberDraft(id, value);
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

const zone = (): string => Intl.DateTimeFormat().resolvedOptions().timeZone;
