import type { ConversationSummary } from "../protocol";
import { attachmentsOf, type Attachment, type Pending } from "../state/pending";

/** What this tab remembers over a reload. A browser that keeps nothing is no reason to fail. */
const PREFIX = "rolecall.";

export function recall(key: string): string | null {
  try {
    return sessionStorage.getItem(PREFIX + key);
  } catch {
    return null;
  }
}

export function remember(key: string, value: string | null): void {
  try {
    if (value) sessionStorage.setItem(PREFIX + key, value);
    else sessionStorage.removeItem(PREFIX + key);
  } catch {
    return;
  }
}

/** What goes out as one message. */
export interface Outgoing {
  content: string;
  attachments: Attachment[];
  documentIds: string[];
  /** The message that it takes the place of. */
  replaces?: string;
}

/** A message whose turn has not ended, so that a reload can go on with it. */
export interface SentMessage extends Outgoing {
  conversationId: string;
  messageId: string;
}

const sentKey = (conversationId: string): string => `sent.${conversationId}`;

export function rememberSent(message: SentMessage): void {
  remember(sentKey(message.conversationId), JSON.stringify(message));
}

export function recallSent(conversationId: string): SentMessage | null {
  const kept = recall(sentKey(conversationId));
  if (!kept) return null;
  try {
    const sent = JSON.parse(kept) as Partial<SentMessage>;
    return { attachments: [], documentIds: [], ...sent } as SentMessage;
  } catch {
    return null;
  }
}

export function forgetSent(conversationId: string, messageId?: string): void {
  if (messageId && recallSent(conversationId)?.messageId !== messageId) return;
  remember(sentKey(conversationId), null);
}

export const recallDraft = (id: string): string => recall(`draft.${id}`) ?? "";
export const rememberDraft = (id: string, text: string): void => remember(`draft.${id}`, text);

/** What goes with a draft: uploaded files and the documents that it is about. */
interface KeptPending {
  files: Attachment[];
  about: string[];
}

export function rememberPending(id: string, pending: Pending): void {
  const kept: KeptPending = { files: attachmentsOf(pending), about: pending.about };
  const empty = kept.files.length === 0 && kept.about.length === 0;
  remember(`with.${id}`, empty ? null : JSON.stringify(kept));
}

export function recallPending(id: string): KeptPending {
  try {
    const kept = recall(`with.${id}`);
    if (kept) return JSON.parse(kept) as KeptPending;
  } catch {
    remember(`with.${id}`, null);
  }
  return { files: [], about: [] };
}

/** Conversations that are not kept are known to this tab alone. */
export function rememberAside(aside: ConversationSummary[]): void {
  remember("aside", aside.length > 0 ? JSON.stringify(aside) : null);
}

export function recallAside(): ConversationSummary[] {
  try {
    return JSON.parse(recall("aside") ?? "[]") as ConversationSummary[];
  } catch {
    return [];
  }
}

/** Forget everything, as when signing out. */
export function forgetAll(): void {
  try {
    const ours = Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));
    for (const key of ours) sessionStorage.removeItem(key);
  } catch {
    return;
  }
}
