import { useEffect } from "react";
import { useApp, useController } from "../app/use";
import { NEW } from "../state/app";
import { runningTurn } from "../state/thread";
import type { Source } from "../state/sources";
import { text } from "../messages";
import { Icon } from "../ui/Icon";
import { useDrop } from "../ui/useDrop";
import styles from "./ChatView.module.css";
import { Composer } from "./Composer";
import { Header } from "./Header";
import { OfflineNote } from "./OfflineNote";
import { ThreadView } from "./ThreadView";

interface ChatProps {
  conversationId: string | null;
  shown: "documents" | "agent" | "source" | undefined;
  onMenu?: () => void;
  onDocuments: () => void;
  onAgent: () => void;
  onSource: (source: Source) => void;
}

/** One conversation: its messages, and the field for the next one. */
export function ChatView({
  conversationId,
  shown,
  onMenu,
  onDocuments,
  onAgent,
  onSource,
}: ChatProps) {
  const { chat, files } = useController();
  const id = conversationId ?? NEW;
  const running = useApp((state) => Boolean(runningTurn(state.threads[id])));
  const { dropping, ...dropTarget } = useDrop((dropped) => files.add(id, dropped));

  useEffect(() => {
    if (!running || !conversationId) return undefined;
    const stop = (event: KeyboardEvent) => {
      const elsewhere = document.querySelector("dialog[open]") ?? insidePanel(event.target);
      if (event.key === "Escape" && !event.defaultPrevented && !elsewhere)
        void chat.stop(conversationId);
    };
    addEventListener("keydown", stop);
    return () => removeEventListener("keydown", stop);
  }, [chat, conversationId, running]);

  return (
    <main className={styles.chat} {...dropTarget}>
      <Header
        conversationId={conversationId}
        shown={shown}
        onDocuments={onDocuments}
        onAgent={onAgent}
        {...(onMenu && { onMenu })}
      />
      <OfflineNote />
      <ThreadView conversationId={conversationId} onSource={onSource} />
      <Composer conversationId={conversationId} running={running} onDocuments={onDocuments} />
      {dropping && (
        <div className={styles.drop}>
          <Icon name="clip" size={32} /> {text.attachments.dropHere}
        </div>
      )}
    </main>
  );
}

const insidePanel = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest("[data-panel]") : null;
