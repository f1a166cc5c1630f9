import { useEffect, useRef } from "react";
import { NO_ROOM_FOR_PANEL, useMedia } from "../app/useMedia";
import { text } from "../messages";
import type { Source } from "../state/sources";
import { IconButton } from "../ui/Button";
import { Modal } from "../ui/Dialog";
import { AgentView } from "./AgentView";
import { DocumentsView } from "./DocumentsView";
import styles from "./SidePanel.module.css";
import { SourceView } from "./SourceView";

export type Shown = { kind: "documents" } | { kind: "agent" } | { kind: "source"; source: Source };

interface PanelProps {
  shown: Shown;
  conversationId: string | null;
  onClose: () => void;
}

function labelOf(shown: Shown): string {
  if (shown.kind === "source") return text.sources.cite(shown.source.n);
  return shown.kind === "agent" ? text.agent.label : text.documents.label;
}

/** What is looked at beside the conversation; over it, where there is no room. */
export function SidePanel({ shown, conversationId, onClose }: PanelProps) {
  const over = useMedia(NO_ROOM_FOR_PANEL);
  const label = labelOf(shown);
  const content = (
    <>
      <header className={styles.header}>
        <h2>{label}</h2>
        <IconButton icon="close" label={text.panel.close} onClick={onClose} />
      </header>
      {/* eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that keys can scroll it */}
      <div className={styles.content} tabIndex={0}>
        {shown.kind === "documents" && <DocumentsView conversationId={conversationId} />}
        {shown.kind === "agent" && <AgentView conversationId={conversationId} />}
        {shown.kind === "source" && <SourceView source={shown.source} />}
      </div>
    </>
  );
  if (over) {
    return (
      <Modal label={label} className={styles.sheet} onClose={onClose}>
        {content}
      </Modal>
    );
  }
  return (
    <Beside
      key={shown.kind === "source" ? shown.source.n : shown.kind}
      label={label}
      onClose={onClose}
    >
      {content}
    </Beside>
  );
}

interface BesideProps {
  label: string;
  onClose: () => void;
  children: React.ReactNode;
}

function Beside({ label, onClose, children }: BesideProps) {
  const ref = useRef<HTMLElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    ref.current?.focus();
    return () => {
      if (before instanceof HTMLElement) before.focus();
    };
  }, []);
  return (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-element-interactions -- Esc closes it from anywhere within
    <aside
      ref={ref}
      data-panel
      tabIndex={-1}
      className={styles.panel}
      aria-label={label}
      onKeyDown={(event) => {
        if (event.key === "Escape" && !event.defaultPrevented) onClose();
      }}
    >
      {children}
    </aside>
  );
}
