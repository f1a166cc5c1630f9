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

/** A message whose turn has not ended, so that a reload can go on with it. */
export interface SentMessage {
  conversationId: string;
  messageId: string;
  content: string;
}

const sentKey = (conversationId: string): string => `sent.${conversationId}`;

export function rememberSent(message: SentMessage): void {
  remember(sentKey(message.conversationId), JSON.stringify(message));
}

export function recallSent(conversationId: string): SentMessage | null {
  const kept = recall(sentKey(conversationId));
  if (!kept) return null;
  try {
    return JSON.parse(kept) as SentMessage;
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

/** Forget everything, as when signing out. */
export function forgetAll(): void {
  try {
    const ours = Object.keys(sessionStorage).filter((key) => key.startsWith(PREFIX));
    for (const key of ours) sessionStorage.removeItem(key);
  } catch {
    return;
  }
}
