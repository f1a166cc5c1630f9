import { Client } from "../client/client";
import type { Credentials, LinkState } from "../client/link";
import { failureOf } from "../client/failure";
import type { Frame } from "../protocol";
import { appReducer, emptyApp, NEW, type AppAction, type AppState } from "../state/app";
import { Store } from "../state/store";
import { pendingOf } from "../state/pending";
import { Agents } from "./agents";
import { Attachments } from "./attachments";
import { Chat } from "./chat";
import { Context } from "./context";
import { Conversations } from "./conversations";
import { Documents } from "./documents";
import { recallAside, recallDraft, recallPending } from "./memory";
import { Opinions } from "./opinions";
import { currentConversation } from "./route";

/** One person's session: the client, what is shown of it, and what can be done. */
export class Controller {
  readonly store = new Store<AppState, AppAction>(emptyApp, appReducer);
  readonly conversations: Conversations;
  readonly chat: Chat;
  readonly documents: Documents;
  readonly files: Attachments;
  readonly agents: Agents;
  readonly opinions: Opinions;
  private readonly context: Context;

  constructor(
    credentials: () => Promise<Credentials>,
    openSocket?: (url: string, protocols: string[]) => WebSocket,
  ) {
    const client = new Client({
      credentials,
      onState: (state) => this.changed(state),
      onPush: (frame) => this.heard(frame),
      ...(openSocket && { openSocket }),
    });
    this.context = new Context(client, this.store);
    this.conversations = new Conversations(this.context);
    this.files = new Attachments(this.context);
    this.agents = new Agents(this.context);
    this.opinions = new Opinions(this.context);
    this.chat = new Chat(this.context, this.conversations, this.files);
    this.documents = new Documents(this.context);
  }

  start(): void {
    addEventListener("online", this.wake);
    document.addEventListener("visibilitychange", this.seen);
    this.context.toList({ type: "recalled", aside: recallAside() });
    this.context.client.start();
    void this.introduce();
    void this.conversations.load();
    void this.documents.load();
  }

  stop(): void {
    removeEventListener("online", this.wake);
    document.removeEventListener("visibilitychange", this.seen);
    this.context.client.stop();
  }

  readonly wake = (): void => this.context.client.wake();

  /** Show what the address names: a conversation, or an empty page. */
  show(conversationId: string | null): void {
    const id = conversationId ?? NEW;
    if (this.store.get().drafts[id] === undefined) {
      this.store.dispatch({ on: "draft", id, text: recallDraft(id) });
      const { files, about } = recallPending(id);
      this.context.toPending(id, { type: "restored", files: files.map(pendingOf) });
      this.context.toPending(id, { type: "about", documentIds: about });
    }
    if (!conversationId) this.store.dispatch({ on: "thread", id, action: { type: "fresh" } });
    else if (this.context.thread(conversationId)) void this.chat.refresh(conversationId);
    else void this.chat.open(conversationId);
  }

  private readonly seen = (): void => {
    if (document.visibilityState === "visible") this.wake();
  };

  private async introduce(): Promise<void> {
    try {
      this.store.dispatch({ on: "me", me: await this.context.client.request("whoAmI", {}) });
    } catch (error) {
      this.context.announce(failureOf(error).message);
    }
  }

  private changed(state: LinkState): void {
    const before = this.store.get().link;
    this.store.dispatch({ on: "link", state });
    if (state === "open" && before !== "open" && this.store.get().me) this.catchUp();
  }

  /** After a lost connection: what was pushed meanwhile was missed. */
  private catchUp(): void {
    void this.conversations.load();
    void this.documents.load();
    const shown = currentConversation();
    if (shown) void this.chat.refresh(shown);
  }

  private heard(frame: Frame): void {
    if (frame.type === "DocumentUpdated") this.documents.updated(frame);
    if (frame.type !== "ConversationUpdated") return;
    const { conversationId, status, title } = frame;
    const known = this.store.get().list.rows.find((row) => row.conversationId === conversationId);
    if (status === "DELETED") this.conversations.gone(conversationId);
    else if (known && title && title !== known.title)
      this.context.toList({ type: "renamed", conversationId, title });
    else {
      void this.conversations.load();
      if (currentConversation() === conversationId) void this.chat.refresh(conversationId);
    }
  }
}
