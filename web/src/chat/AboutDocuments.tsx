import { useId } from "react";
import { useApp, useController } from "../app/use";
import { text } from "../messages";
import { IconButton } from "../ui/Button";
import styles from "./Files.module.css";

/** The documents that questions are about, until they are taken away. */
export function AboutDocuments({ id, documentIds }: { id: string; documentIds: string[] }) {
  const { files } = useController();
  const rows = useApp((state) => state.documents.rows);
  const label = useId();
  if (documentIds.length === 0) return null;
  return (
    <div className={styles.aboutList}>
      <span id={label}>{text.about.label}</span>
      <ul aria-labelledby={label}>
        {documentIds.map((documentId) => {
          const row = rows.find((each) => each.documentId === documentId);
          const name = row?.filename ?? text.about.unknown;
          return (
            <li key={documentId}>
              <span className={styles.name}>{name}</span>
              <IconButton
                icon="close"
                size={14}
                label={text.about.remove(name)}
                onClick={() => files.toggleAbout(id, documentId)}
              />
            </li>
          );
        })}
      </ul>
    </div>
  );
}
