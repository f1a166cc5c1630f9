import { useSyncExternalStore } from "react";

const PATTERN = /^#\/c\/([0-9a-f-]{36})$/;

/** The conversation that the address names; none: a new one. */
export function currentConversation(): string | null {
  return PATTERN.exec(location.hash)?.[1] ?? null;
}

export const addressOf = (conversationId: string | null): string =>
  conversationId ? `#/c/${conversationId}` : "#/";

export function go(conversationId: string | null, { replace = false } = {}): void {
  const address = addressOf(conversationId);
  if (replace) {
    history.replaceState(null, "", address);
    dispatchEvent(new HashChangeEvent("hashchange"));
  } else location.hash = address;
}

function subscribe(listener: () => void): () => void {
  addEventListener("hashchange", listener);
  return () => removeEventListener("hashchange", listener);
}

export const useConversationId = (): string | null =>
  useSyncExternalStore(subscribe, currentConversation);
