import { use, useState } from "react";
import { recall, remember } from "../app/memory";
import { ModelContext } from "../app/use";
import { text } from "../messages";
import { IconButton } from "../ui/Button";
import styles from "./OfflineNote.module.css";

const HIDDEN = "offline-note-hidden";

/** An honest word about who answers. The badge at the message field stays when this is hidden. */
export function OfflineNote() {
  const { offline } = use(ModelContext);
  const [hidden, setHidden] = useState(() => recall(HIDDEN) !== null);
  if (!offline || hidden) return null;
  const hide = () => {
    remember(HIDDEN, "yes");
    setHidden(true);
  };
  return (
    <aside className={styles.note} aria-label={text.offline.badge}>
      <p>
        <strong>{text.offline.title}</strong> {text.offline.body}
      </p>
      <IconButton icon="close" size={16} label={text.offline.dismiss} onClick={hide} />
    </aside>
  );
}
