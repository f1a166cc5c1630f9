import { useApp, useController } from "../app/use";
import { text } from "../messages";
import { isBroken, isDone } from "../state/documents";
import { Button, IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import styles from "./Header.module.css";

interface HeaderProps {
  conversationId: string | null;
  documentsShown: boolean;
  onMenu?: () => void;
  onDocuments: () => void;
}

export function Header({ conversationId, documentsShown, onMenu, onDocuments }: HeaderProps) {
  const title = useApp(
    (state) => state.list.rows.find((row) => row.conversationId === conversationId)?.title,
  );
  const documents = useApp((state) => state.documents);
  const busy =
    documents.uploads.length > 0 || documents.rows.some((row) => !isDone(row) && !isBroken(row));
  return (
    <header className={styles.header}>
      {onMenu && <IconButton icon="menu" label={text.list.open} onClick={onMenu} />}
      <h1 className={styles.title}>
        {conversationId ? (title ?? text.list.untitled) : text.list.fresh}
      </h1>
      <LinkNote />
      <button
        type="button"
        className={styles.documents}
        aria-expanded={documentsShown}
        onClick={onDocuments}
      >
        <Icon name="paper" />
        <span className={styles.word}>{text.documents.open}</span>
        {documents.rows.length > 0 && <span className={styles.count}>{documents.rows.length}</span>}
        {busy && <span className={styles.busy} />}
      </button>
    </header>
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
