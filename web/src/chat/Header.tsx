import { useApp, useController } from "../app/use";
import { useAgent, useModelName } from "../app/useAgent";
import { text } from "../messages";
import { isUnkept, rowOf } from "../state/list";
import { isBroken, isDone } from "../state/documents";
import { Button, IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import styles from "./Header.module.css";
import { RateConversation } from "./RateConversation";

interface HeaderProps {
  conversationId: string | null;
  shown: "documents" | "agent" | "source" | undefined;
  onMenu?: () => void;
  onDocuments: () => void;
  onAgent: () => void;
}

export function Header({ conversationId, shown, onMenu, onDocuments, onAgent }: HeaderProps) {
  const row = useApp((state) => rowOf(state.list, conversationId));
  const model = useModelName(useAgent(conversationId));
  const said = (row?.messageCount ?? 0) > 0;
  return (
    <header className={styles.header}>
      {onMenu && <IconButton icon="menu" label={text.list.open} onClick={onMenu} />}
      <div className={styles.titles}>
        <h1 className={styles.title}>
          {conversationId ? (row?.title ?? text.list.untitled) : text.list.fresh}
        </h1>
        {model && (
          <p className={styles.modelBelow} aria-hidden="true">
            {model}
          </p>
        )}
      </div>
      <UnstoredBadge conversationId={conversationId} />
      <LinkNote />
      {conversationId && said && !isUnkept(conversationId) && (
        <RateConversation conversationId={conversationId} />
      )}
      <AgentButton conversationId={conversationId} open={shown === "agent"} onOpen={onAgent} />
      <DocumentsButton open={shown === "documents"} onOpen={onDocuments} />
    </header>
  );
}

interface OpenerProps {
  open: boolean;
  onOpen: () => void;
}

/** Who answers, and by which model. */
function AgentButton({
  conversationId,
  open,
  onOpen,
}: OpenerProps & { conversationId: string | null }) {
  const agent = useAgent(conversationId);
  const model = useModelName(agent);
  if (!agent) return null;
  return (
    <button
      type="button"
      className={`${styles.documents ?? ""} ${styles.agent ?? ""}`}
      aria-expanded={open}
      title={text.agent.open(agent.name, model)}
      onClick={onOpen}
    >
      <Icon name="spark" />
      <span className={styles.word}>
        <span className="visually-hidden">{text.agent.label}: </span>
        <span className={styles.name}>{agent.name}</span>
        {model && <span className={styles.model}>{model}</span>}
      </span>
    </button>
  );
}

function DocumentsButton({ open, onOpen }: OpenerProps) {
  const documents = useApp((state) => state.documents);
  const busy =
    documents.uploads.length > 0 || documents.rows.some((row) => !isDone(row) && !isBroken(row));
  return (
    <button type="button" className={styles.documents} aria-expanded={open} onClick={onOpen}>
      <Icon name="paper" />
      <span className={styles.word}>{text.documents.open}</span>
      {documents.rows.length > 0 && <span className={styles.count}>{documents.rows.length}</span>}
      {busy && <span className={styles.busy} />}
    </button>
  );
}

/** Says that a conversation is forgotten after a while. */
function UnstoredBadge({ conversationId }: { conversationId: string | null }) {
  const fresh = useApp((state) => state.fresh.store);
  const unstored = conversationId ? isUnkept(conversationId) : !fresh;
  if (!unstored) return null;
  return (
    <p className={styles.unstored} title={text.unstored.hint}>
      <Icon name="eyeless" size={14} /> {text.unstored.badge}
    </p>
  );
}

/** Says so when the connection is not there; nothing while all is well. */
function LinkNote() {
  const { wake } = useController();
  const link = useApp((state) => state.link);
  const known = useApp((state) => Boolean(state.me));
  if (link === "open" || (link === "connecting" && known)) return null;
  return (
    <p role="status" className={styles.link} data-state={link}>
      <span className={styles.dot} />
      <span className={styles.words}>{text.link[link]}</span>
      {link === "lost" && <Button onClick={wake}>{text.link.retry}</Button>}
    </p>
  );
}
