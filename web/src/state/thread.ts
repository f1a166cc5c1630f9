import type { Failure } from "../client/failure";
import type { Feedback, StoredMessage, TurnEvent } from "../protocol";
import type { Attachment } from "./pending";
import { itemsOf } from "./rows";
import { applyEvent, isOver, newTurn, type Turn } from "./turn";

export interface UserItem {
  kind: "user";
  id: string;
  text: string;
  at: string;
  attachments: Attachment[];
}

export type Item = UserItem | Turn;

/** A message that was refused: its text is back in the composer. */
export interface Refusal {
  failure: Failure;
  text: string;
  messageId: string;
}

/** A message that is written anew in its place. */
export interface Edit {
  messageId: string;
  text: string;
  attachments: Attachment[];
  failure?: Failure;
}

export interface Thread {
  phase: "loading" | "ready" | "failed";
  failure?: Failure;
  items: Item[];
  /** Cursor of the page before, if there may be one. */
  older: string | null;
  loadingOlder: boolean;
  refusal?: Refusal;
  edit?: Edit;
  /** What the message that is on its way takes the place of. */
  replaced?: Item[];
}

export type ThreadAction =
  | { type: "fresh" }
  | { type: "loading" }
  | { type: "loaded"; rows: StoredMessage[]; older: string | null }
  | { type: "loadFailed"; failure: Failure }
  | { type: "loadingOlder"; now: boolean }
  | { type: "loadedOlder"; rows: StoredMessage[]; older: string | null }
  | ({ type: "sent" } & Sent)
  | { type: "accepted"; messageId: string; turnId: string }
  | { type: "refused"; refusal: Refusal }
  | { type: "replacementRefused"; messageId: string; edit: Edit }
  | { type: "edit"; edit: Edit | null }
  | { type: "rated"; messageId: string; feedback: Feedback | null }
  | { type: "refusalSeen" }
  | { type: "event"; event: TurnEvent; key?: string; at?: number };

/** A message as it goes out. */
interface Sent {
  messageId: string;
  text: string;
  at: string;
  attachments?: Attachment[];
  replaces?: string | undefined;
}

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
      return without(sent(thread, action), "refusal", "edit");
    case "accepted":
      return mapTurn(thread, byKey(action.messageId), (turn) => ({
        ...turn,
        turnId: action.turnId,
      }));
    case "refused":
      return { ...withdrawn(thread, action.refusal.messageId), refusal: action.refusal };
    case "replacementRefused":
      return { ...withdrawn(thread, action.messageId), edit: action.edit };
    case "edit":
      return action.edit ? { ...thread, edit: action.edit } : without(thread, "edit");
    case "rated":
      return mapTurn(thread, byId(action.messageId), (turn) => rated(turn, action.feedback));
    case "refusalSeen":
      return without(thread, "refusal");
    case "event": {
      const { event, key, at } = action;
      const matches = key ? byKey(key) : (turn: Turn) => turn.turnId === event.turnId;
      return mapTurn(thread, matches, (turn) => applyEvent(turn, event, at));
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

/** The message and its answer to come; what it takes the place of is put aside. */
function sent(thread: Thread, action: Sent): Thread {
  const { messageId, text, at, attachments = [], replaces } = action;
  const from = replaces ? thread.items.findIndex((item) => idOf(item) === replaces) : -1;
  const kept = from < 0 ? thread.items : thread.items.slice(0, from);
  const user: Item = { kind: "user", id: messageId, text, at, attachments };
  return {
    ...thread,
    phase: "ready",
    items: [...kept, user, newTurn(messageId)],
    replaced: from < 0 ? [] : thread.items.slice(from),
  };
}

/** Without a message that was not taken, and with what it was to take the place of. */
function withdrawn(thread: Thread, messageId: string): Thread {
  const items = thread.items.filter((item) => idOf(item) !== messageId);
  return { ...thread, items: [...items, ...(thread.replaced ?? [])], replaced: [] };
}

const idOf = (item: Item): string => (item.kind === "user" ? item.id : item.key);
const keyOf = (item: Item): string => `${item.kind}:${idOf(item)}`;
const byId = (id: string) => (turn: Turn) => turn.turnId === id;
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

function rated(turn: Turn, feedback: Feedback | null): Turn {
  const { feedback: _before, ...rest } = turn;
  return feedback ? { ...rest, feedback } : rest;
}

function without(thread: Thread, ...names: ("failure" | "refusal" | "edit")[]): Thread {
  const rest = { ...thread };
  // eslint-disable-next-line @typescript-eslint/no-dynamic-delete -- of a copy, by a name of three
  for (const name of names) delete rest[name];
  return rest;
}
