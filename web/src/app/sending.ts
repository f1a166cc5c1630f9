import type { TurnHandlers } from "../client/client";
import { failureOf, NO_ANSWER, type Failure } from "../client/failure";
import { text } from "../messages";
import type { TurnEvent } from "../protocol";
import { NEW } from "../state/app";
import type { Edit } from "../state/thread";
import { answerOf, type Turn } from "../state/turn";
import type { Attachments } from "./attachments";
import type { Context } from "./context";
import type { Conversations } from "./conversations";
import { forgetSent, rememberDraft, rememberSent, type Outgoing, type SentMessage } from "./memory";
import { currentConversation, go } from "./route";

interface Around {
  conversations: Conversations;
  files: Attachments;
  /** Read a conversation's rows again. */
  reload: (conversationId: string) => void;
}

/** The way of a message out, to its answer's end or back to where it was typed. */
export class Sending {
  constructor(
    private readonly context: Context,
    private readonly around: Around,
  ) {}

  async send(conversationId: string | null, message: Outgoing): Promise<void> {
    const messageId = crypto.randomUUID();
    const id = conversationId ?? NEW;
    this.around.files.sent(id, messageId);
    this.context.draft(id, "");
    const target = conversationId ?? (await this.begin(messageId, message));
    if (target) await this.deliver({ conversationId: target, messageId, ...message });
  }

  async replace(conversationId: string, edit: Edit): Promise<void> {
    const { messageId: replaces, text: content, attachments } = edit;
    const messageId = crypto.randomUUID();
    const documentIds = this.context.pending(conversationId).about;
    await this.deliver({
      conversationId,
      messageId,
      content,
      attachments,
      documentIds,
      replaces,
    });
  }

  /** Open a conversation for its first message. */
  private async begin(messageId: string, message: Outgoing): Promise<string | null> {
    const { content } = message;
    this.show(NEW, messageId, message);
    rememberDraft(NEW, content); // a reload before there is a conversation must not lose it
    const { agentId, store } = this.context.state.fresh;
    try {
      const { conversation } = await this.context.client.request("createConversation", {
        ...(agentId && { agentId }),
        ...(!store && { store }),
      });
      const id = conversation.conversationId;
      const title = content.trim().split("\n", 1)[0]?.slice(0, 80) || null;
      this.context.toList({ type: "added", row: { ...conversation, title, messageCount: 1 } });
      this.context.moved(NEW, id);
      this.context.store.dispatch({ on: "fresh", fresh: { store: true } });
      if (currentConversation() === null) go(id, { replace: true });
      return id;
    } catch (error) {
      this.refuse({ conversationId: NEW, messageId, ...message }, failureOf(error));
      return null;
    }
  }

  private show(id: string, messageId: string, message: Outgoing): void {
    const { content, attachments, replaces } = message;
    const known = this.context
      .thread(id)
      ?.items.some((item) => item.kind === "user" && item.id === messageId);
    if (known) return;
    const at = new Date().toISOString();
    this.context.toThread(id, {
      type: "sent",
      messageId,
      text: content,
      at,
      attachments,
      replaces,
    });
  }

  async deliver(message: SentMessage): Promise<void> {
    const { conversationId, messageId } = message;
    this.show(conversationId, messageId, message);
    rememberSent(message);
    try {
      const turnId = await this.context.client.chat(
        fieldsOf(message),
        this.handlers(conversationId, messageId, message),
      );
      this.context.toThread(conversationId, { type: "accepted", messageId, turnId });
    } catch (error) {
      const failure = failureOf(error);
      this.refuse(message, failure);
      if (failure.code === NO_ANSWER) this.around.reload(conversationId); // it may have arrived
    }
  }

  handlers(conversationId: string, key: string, message?: SentMessage): TurnHandlers {
    return {
      event: (event) => {
        if (event.type === "ChatError" && event.code === "ATTACHMENT_FAILED" && message) {
          const { code, message: words, recoveryHint: hint } = event;
          this.refuse(message, { code, message: words, hint }); // nothing of it was stored
          return;
        }
        this.context.toThread(conversationId, { type: "event", event, key, at: Date.now() });
        if (event.type === "ChatComplete" || event.type === "ChatError") {
          this.ended(conversationId, key, event);
        }
      },
      refused: (failure) => {
        if (message) this.refuse(message, failure);
      },
      lost: () => {
        forgetSent(conversationId, key);
        this.around.reload(conversationId);
      },
    };
  }

  private ended(conversationId: string, key: string, event: TurnEvent): void {
    forgetSent(conversationId, key);
    const turn = this.context
      .thread(conversationId)
      ?.items.find((item): item is Turn => item.kind === "turn" && item.key === key);
    if (turn?.stale) this.around.reload(conversationId);
    if (event.type === "ChatError") this.context.announce(`${event.message} ${event.recoveryHint}`);
    else this.context.announce(text.announce.answered(turn ? answerOf(turn) : ""));
    void this.around.conversations.load();
  }

  /** The message became no turn: what it was made of goes back to where it was made. */
  private refuse(message: SentMessage, failure: Failure): void {
    const { conversationId: id, messageId, content, attachments, replaces } = message;
    if (id !== NEW) forgetSent(id, messageId);
    this.context.announce(text.announce.refused(failure));
    if (replaces) {
      const edit = { messageId: replaces, text: content, attachments, failure };
      this.context.toThread(id, { type: "replacementRefused", messageId, edit });
    } else {
      const refusal = { failure, text: content, messageId };
      this.context.toThread(id, { type: "refused", refusal });
      const typed = this.context.state.drafts[id] ?? "";
      this.context.draft(id, typed ? `${content}\n\n${typed}` : content);
      this.around.files.restore(id, { messageId, attachments }, failure);
    }
    if (failure.code === "TURN_IN_PROGRESS") this.around.reload(id);
  }
}

function fieldsOf(message: SentMessage) {
  const { conversationId, messageId, content, replaces, documentIds } = message;
  const attachments = message.attachments.map(({ key, filename, mimeType }) => ({
    key,
    filename,
    mimeType,
  }));
  return {
    conversationId,
    messageId,
    content,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ...(attachments.length > 0 && { attachments }),
    ...(documentIds.length > 0 && { documentIds }),
    ...(replaces && { replaces }),
  };
}
