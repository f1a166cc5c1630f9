import { useEffect, useState } from "react";
import { useConversationId } from "./app/route";
import { NARROW, useMedia } from "./app/useMedia";
import { useApp, useController } from "./app/use";
import { ChatView } from "./chat/ChatView";
import { text } from "./messages";
import { SidePanel, type Shown } from "./panel/SidePanel";
import { Sidebar } from "./sidebar/Sidebar";
import { rowOf } from "./state/list";
import { Modal } from "./ui/Dialog";
import { LiveRegion } from "./ui/LiveRegion";
import styles from "./Workspace.module.css";

/** The page of somebody who is signed in: list, conversation, and what is looked at beside it. */
export function Workspace({ onSignOut }: { onSignOut: () => void }) {
  const controller = useController();
  const conversationId = useConversationId();
  const narrow = useMedia(NARROW);
  const [drawer, setDrawer] = useState(false);
  const [shown, setShown] = useState<Shown | null>(null);
  useTitle(conversationId);

  useEffect(() => controller.show(conversationId), [controller, conversationId]);

  const sidebar = (
    <Sidebar
      current={conversationId}
      onChosen={() => setDrawer(false)}
      onSignOut={onSignOut}
      {...(narrow && { onClose: () => setDrawer(false) })}
    />
  );
  return (
    <div className={styles.workspace}>
      <a className={styles.skip} href="#message" onClick={focusComposer}>
        {text.skipToMessage}
      </a>
      {!narrow && sidebar}
      {narrow && drawer && (
        <Modal label={text.list.label} className={styles.drawer} onClose={() => setDrawer(false)}>
          {sidebar}
        </Modal>
      )}
      <ChatView
        key={conversationId ?? "new"}
        conversationId={conversationId}
        onSource={(source) => setShown({ kind: "source", source })}
        onDocuments={() =>
          setShown((now) => (now?.kind === "documents" ? null : { kind: "documents" }))
        }
        onAgent={() => setShown((now) => (now?.kind === "agent" ? null : { kind: "agent" }))}
        shown={shown?.kind}
        {...(narrow && { onMenu: () => setDrawer(true) })}
      />
      {shown && (
        <SidePanel shown={shown} conversationId={conversationId} onClose={() => setShown(null)} />
      )}
      <LiveRegion />
    </div>
  );
}

function focusComposer(event: { preventDefault: () => void }): void {
  event.preventDefault();
  document.getElementById("message")?.focus();
}

function useTitle(conversationId: string | null): void {
  const row = useApp((state) => rowOf(state.list, conversationId));
  useEffect(() => {
    document.title = row?.title ? `${row.title} · ${text.product}` : text.product;
  }, [row?.title]);
}
