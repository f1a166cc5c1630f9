import type { Error as ErrorFrame, Replies, Reply, Requests } from "../protocol";
import { CONNECTION_LOST, NO_ANSWER, RequestFailed } from "./failure";

export const ANSWER_MS = 30_000;

export type Action = keyof Replies & keyof Requests;
export type Fields<A extends Action> = Omit<Requests[A], "action" | "requestId">;

/** Actions that would be done twice if they were sent twice. */
const ONCE: ReadonlySet<string> = new Set(["createConversation", "requestUpload"]);

interface Pending {
  body: { action: string; requestId: string };
  resolve: (data: never) => void;
  reject: (error: RequestFailed) => void;
  timer: ReturnType<typeof setTimeout>;
  sent: boolean;
}

/** Requests that wait for their replies. Those that may be sent twice survive a lost socket. */
export class RequestBook {
  private readonly pending = new Map<string, Pending>();

  constructor(private readonly send: (body: object) => boolean) {}

  get size(): number {
    return this.pending.size;
  }

  ask<A extends Action>(action: A, fields: Fields<A>, requestId: string): Promise<Replies[A]> {
    return new Promise<Replies[A]>((resolve, reject) => {
      const body = { ...fields, action, requestId };
      const timer = setTimeout(() => {
        this.pending.delete(requestId);
        reject(failed(NO_ANSWER));
      }, ANSWER_MS);
      this.pending.set(requestId, { body, resolve, reject, timer, sent: this.send(body) });
    });
  }

  /** Settle what a frame answers; false: nobody waits for it. */
  settle(frame: Reply | ErrorFrame): boolean {
    const waiting = this.pending.get(frame.requestId ?? "");
    if (!waiting) return false;
    this.forget(waiting);
    if (frame.type === "Reply") waiting.resolve(frame.data as never);
    else waiting.reject(failedBy(frame));
    return true;
  }

  /** The service failed without saying on which request: if there is but one, that one. */
  failOnly(message: string): void {
    const [only, ...others] = this.pending.values();
    if (!only || others.length > 0) return;
    this.forget(only);
    only.reject(new RequestFailed({ code: "UNKNOWN", message, hint: "" }));
  }

  /** A socket has opened: send what waits. */
  opened(): void {
    for (const each of this.pending.values()) each.sent ||= this.send(each.body);
  }

  /** The socket is gone: give up what cannot be sent again. */
  lost(): void {
    for (const each of [...this.pending.values()]) {
      if (each.sent && ONCE.has(each.body.action)) {
        this.forget(each);
        each.reject(failed(CONNECTION_LOST));
      }
      each.sent = false;
    }
  }

  /** Give up everything. */
  close(): void {
    for (const each of [...this.pending.values()]) {
      this.forget(each);
      each.reject(failed(CONNECTION_LOST));
    }
  }

  private forget(pending: Pending): void {
    clearTimeout(pending.timer);
    this.pending.delete(pending.body.requestId);
  }
}

function failed(code: string): RequestFailed {
  return new RequestFailed({ code, message: "", hint: "" });
}

export function failedBy(error: ErrorFrame): RequestFailed {
  return new RequestFailed({
    code: error.code,
    message: error.message,
    hint: error.recoveryHint,
  });
}
