import { useEffect, useState, type DragEvent } from "react";
import { useApp, useController } from "../app/use";
import { NEW } from "../state/app";
import { runningTurn } from "../state/thread";
import type { Source } from "../state/sources";
import { text } from "../messages";
import { Icon } from "../ui/Icon";
import styles from "./ChatView.module.css";
import { Composer } from "./Composer";
import { Header } from "./Header";
import { OfflineNote } from "./OfflineNote";
import { ThreadView } from "./ThreadView";

interface ChatProps {
  conversationId: string | null;
  documentsShown: boolean;
  onMenu?: () => void;
  onDocuments: () => void;
  onSource: (source: Source) => void;
}

/** One conversation: its messages, and the field for the next one. */
export function ChatView({
  conversationId,
  documentsShown,
  onMenu,
  onDocuments,
  onSource,
}: ChatProps) {
  const { chat } = useController();
  const id = conversationId ?? NEW;
  const running = useApp((state) => Boolean(runningTurn(state.threads[id])));
  const { dropping, ...dropTarget } = useDrop(() => {
    if (!documentsShown) onDocuments();
  });

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
        documentsShown={documentsShown}
        onDocuments={onDocuments}
        {...(onMenu && { onMenu })}
      />
      <OfflineNote />
      <ThreadView conversationId={conversationId} onSource={onSource} />
      <Composer conversationId={conversationId} running={running} onDocuments={onDocuments} />
      {dropping && (
        <div className={styles.drop}>
          <Icon name="paper" size={32} /> {text.documents.dropHere}
        </div>
      )}
    </main>
  );
}

const insidePanel = (target: EventTarget | null): Element | null =>
  target instanceof Element ? target.closest("[data-panel]") : null;

/** Files that are dragged over the conversation become documents. */
function useDrop(onFiles: () => void) {
  const { documents } = useController();
  const [depth, setDepth] = useState(0);
  const hasFiles = (event: DragEvent) => event.dataTransfer.types.includes("Files");
  return {
    dropping: depth > 0,
    onDragEnter: (event: DragEvent) => hasFiles(event) && setDepth((now) => now + 1),
    onDragLeave: (event: DragEvent) => hasFiles(event) && setDepth((now) => Math.max(0, now - 1)),
    onDragOver: (event: DragEvent) => {
      if (hasFiles(event)) event.preventDefault();
    },
    onDrop: (event: DragEvent) => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      setDepth(0);
      documents.upload([...event.dataTransfer.files]);
      onFiles();
    },
  };
}
