import { useState } from "react";
import { useApp, useController } from "../app/use";
import { text } from "../messages";
import { isBroken, isDone, type Document } from "../state/documents";
import { IconButton } from "../ui/Button";
import { Confirm } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { wordsOf } from "../ui/Problem";
import styles from "./DocumentRow.module.css";

export function DocumentRow({ row, draftId }: { row: Document; draftId: string }) {
  const { documents } = useController();
  const [removing, setRemoving] = useState(false);
  const [error, setError] = useState<string>();
  const working = !isDone(row) && !isBroken(row);

  const remove = async () => {
    const failure = await documents.remove(row.documentId);
    if (failure) setError(`${failure.message} ${failure.hint}`);
  };
  return (
    <li className={styles.row} data-status={row.status}>
      <div className={styles.text}>
        <p className={styles.name}>{row.filename}</p>
        <p className={styles.status}>
          <span>{text.documents.status[row.status] ?? row.status}</span>
          {row.sizeBytes !== undefined && ` · ${sizeOf(row.sizeBytes)}`}
        </p>
        {isDone(row) && <AskAbout row={row} draftId={draftId} />}
        {working && <Progress value={row.progress} label={row.filename} />}
        {row.failure && isBroken(row) && (
          <p className={styles.failure}>
            {wordsOf(row.failure).message} {wordsOf(row.failure).hint}
          </p>
        )}
      </div>
      <IconButton
        icon="trash"
        size={16}
        label={text.documents.remove(row.filename)}
        onClick={() => setRemoving(true)}
      />
      {removing && (
        <Confirm
          title={text.documents.removeTitle}
          body={text.documents.removeBody(row.filename)}
          confirm={text.documents.removeConfirm}
          cancel={text.documents.removeCancel}
          error={error}
          onConfirm={() => void remove()}
          onCancel={() => setRemoving(false)}
        />
      )}
    </li>
  );
}

/** Whether the next questions are about this document alone. */
function AskAbout({ row, draftId }: { row: Document; draftId: string }) {
  const { files } = useController();
  const chosen = useApp((state) => state.pending[draftId]?.about.includes(row.documentId) ?? false);
  return (
    <button
      type="button"
      className={styles.ask}
      aria-pressed={chosen}
      aria-label={text.about.choose(row.filename)}
      onClick={() => files.toggleAbout(draftId, row.documentId)}
    >
      <Icon name={chosen ? "check" : "question"} size={14} />
      {chosen ? text.about.chosen : text.about.ask}
    </button>
  );
}

/** How far something is; without a value it only says that it goes on. */
export function Progress({ value, label }: { value: number | null; label: string }) {
  return (
    <progress
      className={styles.progress}
      aria-label={label}
      max={1}
      {...(value !== null && { value })}
    />
  );
}

export function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`;
  return bytes < 1_000_000
    ? `${Math.round(bytes / 1_000)} kB`
    : `${(bytes / 1_000_000).toFixed(1)} MB`;
}
