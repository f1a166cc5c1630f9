import type { Frame, Part, Replies, TurnEvent } from "../protocol";
import { failureOf, type Failure } from "./failure";
import { TurnFeed } from "./feed";
import { Link, type Credentials, type LinkOptions, type LinkState } from "./link";
import { PartJoiner } from "./parts";
import { failedBy, RequestBook, type Action, type Fields } from "./requests";

const NOT_YET_MS = 2_000;
const NOT_YET_TRIES = 4;
const MOST_EARLY = 500;

export interface TurnHandlers {
  event: (event: TurnEvent) => void;
  /** The message has become no turn. */
  refused?: (failure: Failure) => void;
  /** The server knows no such turn. */
  lost: () => void;
}

export interface ClientOptions {
  credentials: () => Promise<Credentials>;
  onState: (state: LinkState) => void;
  /** Frames that belong to no request and no turn. */
  onPush: (frame: Frame) => void;
  openSocket?: LinkOptions["openSocket"];
  newId?: () => string;
}

interface Followed {
  feed: TurnFeed;
  handlers: TurnHandlers;
  unknown: number;
}

/** Speaks the protocol: requests with replies, and turns whose events come in order, each once. */
export class Client {
  private readonly link: Link;
  private readonly book: RequestBook;
  private readonly parts = new PartJoiner();
  private readonly turns = new Map<string, Followed>();
  /** Turns by the request that began them: an `Error` may follow its `Reply`. */
  private readonly begun = new Map<string, string>();
  /** Events of turns that nobody follows yet: they may overtake the reply that names the turn. */
  private early: TurnEvent[] = [];
  private readonly newId: () => string;

  constructor(private readonly options: ClientOptions) {
    this.newId = options.newId ?? (() => crypto.randomUUID());
    this.link = new Link({
      credentials: options.credentials,
      onState: (state) => this.changed(state),
      onFrame: (frame) => this.receive(frame as Frame),
      isBusy: () => this.turns.size > 0 || this.book.size > 0,
      ...(options.openSocket && { openSocket: options.openSocket }),
    });
    this.book = new RequestBook((body) => this.link.send(body));
  }

  start(): void {
    this.link.start();
  }

  stop(): void {
    for (const { feed } of this.turns.values()) feed.stop();
    this.turns.clear();
    this.begun.clear();
    this.link.stop();
    this.book.close();
  }

  wake(): void {
    this.link.wake();
  }

  request<A extends Action>(action: A, fields: Fields<A>): Promise<Replies[A]> {
    return this.book.ask(action, fields, this.newId());
  }

  /** Send a message and follow the turn that answers it. */
  async chat(message: Fields<"agentChat">, handlers: TurnHandlers): Promise<string> {
    const requestId = this.newId();
    const { turnId, repeated } = await this.book.ask("agentChat", message, requestId);
    this.begun.set(requestId, turnId);
    this.follow(turnId, handlers, { catchUp: repeated });
    return turnId;
  }

  /** Follow a turn from its first event. */
  follow(turnId: string, handlers: TurnHandlers, { catchUp = true } = {}): void {
    this.turns.get(turnId)?.feed.stop();
    const feed = new TurnFeed({
      after: 0,
      deliver: (event) => {
        if (event.type === "ChatComplete" || event.type === "ChatError") this.unfollow(turnId);
        handlers.event(event);
      },
      resume: (after) => void this.resume(turnId, after),
    });
    this.turns.set(turnId, { feed, handlers, unknown: 0 });
    const early = this.early.filter((event) => event.turnId === turnId);
    this.early = this.early.filter((event) => event.turnId !== turnId);
    for (const event of early) feed.take(event);
    if (catchUp) feed.catchUp();
  }

  isFollowing(turnId: string): boolean {
    return this.turns.has(turnId);
  }

  private async resume(turnId: string, afterSeq: number): Promise<void> {
    if (!this.link.isOpen) return; // asked again once it is
    try {
      await this.request("resumeTurn", { turnId, afterSeq });
    } catch (error) {
      const followed = this.turns.get(turnId);
      if (!followed || failureOf(error).code !== "CONVERSATION_NOT_FOUND") return;
      followed.unknown += 1;
      if (!followed.feed.begun && followed.unknown < NOT_YET_TRIES) {
        setTimeout(() => followed.feed.catchUp(), NOT_YET_MS); // it may not have begun
        return;
      }
      this.unfollow(turnId);
      followed.handlers.lost();
    }
  }

  private unfollow(turnId: string): void {
    this.turns.get(turnId)?.feed.stop();
    this.turns.delete(turnId);
    for (const [requestId, each] of this.begun) if (each === turnId) this.begun.delete(requestId);
  }

  private changed(state: LinkState): void {
    if (state === "open") {
      this.book.opened();
      for (const { feed } of this.turns.values()) feed.catchUp();
    } else {
      this.parts.clear();
      this.book.lost();
    }
    this.options.onState(state);
  }

  private receive(frame: Frame | Part): void {
    if (frame.type === "Part") {
      const whole = this.parts.join(frame);
      if (whole) this.receive(whole as Frame);
    } else if (frame.type === "Reply") this.book.settle(frame);
    else if (frame.type === "Error") this.refuse(frame);
    else if ("seq" in frame) this.hear(frame);
    else if ("type" in frame) this.options.onPush(frame);
    else this.book.failOnly((frame as { message?: string }).message ?? "");
  }

  private refuse(frame: Extract<Frame, { type: "Error" }>): void {
    if (this.book.settle(frame)) return;
    const turnId = this.begun.get(frame.requestId ?? "");
    const followed = turnId && this.turns.get(turnId);
    if (!followed) return;
    this.unfollow(turnId);
    followed.handlers.refused?.(failedBy(frame).failure);
  }

  private hear(event: TurnEvent): void {
    const followed = this.turns.get(event.turnId);
    if (followed) followed.feed.take(event);
    else this.early = [...this.early.slice(-MOST_EARLY), event];
  }
}
