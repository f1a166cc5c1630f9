import type { Failure } from "../client/failure";
import type { StoredMessage, TurnEvent } from "../protocol";
import { itemsOf } from "./rows";
import { applyEvent, isOver, newTurn, type Turn } from "./turn";

export interface UserItem {
  kind: "user";
  id: string;
  text: string;
  at: string;
}

export type Item = UserItem | Turn;

/** A message that was refused: its text is back in the composer. */
export interface Refusal {
  failure: Failure;
  text: string;
  messageId: string;
}

export interface Thread {
  phase: "loading" | "ready" | "failed";
  failure?: Failure;
  items: Item[];
  /** Cursor of the page before, if there may be one. */
  older: string | null;
  loadingOlder: boolean;
  refusal?: Refusal;
}

export type ThreadAction =
  | { type: "fresh" }
  | { type: "loading" }
  | { type: "loaded"; rows: StoredMessage[]; older: string | null }
  | { type: "loadFailed"; failure: Failure }
  | { type: "loadingOlder"; now: boolean }
  | { type: "loadedOlder"; rows: StoredMessage[]; older: string | null }
  | { type: "sent"; messageId: string; text: string; at: string }
  | { type: "accepted"; messageId: string; turnId: string }
  | { type: "refused"; refusal: Refusal }
  | { type: "refusalSeen" }
  | { type: "event"; event: TurnEvent; key?: string };

export const emptyThread: Thread = {
  phase: "loading",
  items: [],
  older: null,
  loadingOlder: false,
};

export const readyThread: Thread = { ...emptyThread, phase: "ready" };

export function threadReducer(thread: Thread, action: ThreadAction): Thread {
  switch (action.type) {
    case "fresh":
      return readyThread;
    case "loading":
      return without(
        { ...thread, phase: thread.items.length > 0 ? "ready" : "loading" },
        "failure",
      );
    case "loaded":
      return without({ ...thread, ...loaded(thread, action), phase: "ready" }, "failure");
    case "loadFailed":
      return { ...thread, phase: "failed", failure: action.failure };
    case "loadingOlder":
      return { ...thread, loadingOlder: action.now };
    case "loadedOlder":
      return {
        ...thread,
        loadingOlder: false,
        older: action.older,
        items: [...itemsOf(action.rows), ...thread.items],
      };
    case "sent":
      return without(
        { ...thread, phase: "ready", items: [...thread.items, ...sent(action)] },
        "refusal",
      );
    case "accepted":
      return mapTurn(thread, byKey(action.messageId), (turn) => ({
        ...turn,
        turnId: action.turnId,
      }));
    case "refused":
      return {
        ...thread,
        refusal: action.refusal,
        items: thread.items.filter((item) => idOf(item) !== action.refusal.messageId),
      };
    case "refusalSeen":
      return without(thread, "refusal");
    case "event": {
      const { event, key } = action;
      const matches = key ? byKey(key) : (turn: Turn) => turn.turnId === event.turnId;
      return mapTurn(thread, matches, (turn) => applyEvent(turn, event));
    }
  }
}

/** The turn that runs, if one does. */
export function runningTurn(thread: Thread | undefined): Turn | undefined {
  return thread?.items.find((item): item is Turn => item.kind === "turn" && !isOver(item));
}

/** Stored rows replace what was shown, but a running turn keeps what its events have told so far. */
function loaded(thread: Thread, page: { rows: StoredMessage[]; older: string | null }) {
  const fresh = itemsOf(page.rows);
  const known = new Set(fresh.map(keyOf));
  const live = new Map(
    thread.items.flatMap((item) =>
      item.kind === "turn" && !isOver(item) ? [[keyOf(item), item]] : [],
    ),
  );
  const shown = fresh.map((item) => {
    const running = item.kind === "turn" && !isOver(item) ? live.get(keyOf(item)) : undefined;
    return running ?? item;
  });
  // What was sent a moment ago may not be stored yet.
  const unsaved = thread.items.filter(
    (item) => live.has(`turn:${idOf(item)}`) && !known.has(keyOf(item)),
  );
  return { items: [...shown, ...unsaved], older: page.older };
}

function sent(action: { messageId: string; text: string; at: string }): Item[] {
  const { messageId, text, at } = action;
  return [{ kind: "user", id: messageId, text, at }, newTurn(messageId)];
}

const idOf = (item: Item): string => (item.kind === "user" ? item.id : item.key);
const keyOf = (item: Item): string => `${item.kind}:${idOf(item)}`;
const byKey = (key: string) => (turn: Turn) => turn.key === key;

function mapTurn(
  thread: Thread,
  matches: (turn: Turn) => boolean,
  change: (turn: Turn) => Turn,
): Thread {
  const items = thread.items.map((item) =>
    item.kind === "turn" && matches(item) ? change(item) : item,
  );
  return { ...thread, items };
}

function without(thread: Thread, name: "failure" | "refusal"): Thread {
  const { [name]: _gone, ...rest } = thread;
  return rest;
}
