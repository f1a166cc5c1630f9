import { isImage } from "../app/attachable";
import { useController } from "../app/use";
import { text } from "../messages";
import { sizeOf } from "../panel/DocumentRow";
import type { Pending, PendingFile } from "../state/pending";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { wordsOf } from "../ui/Problem";
import styles from "./Files.module.css";

/** What goes with the next message: its files, and those that were not taken. */
export function PendingFiles({ id, pending }: { id: string; pending: Pending }) {
  const { files } = useController();
  return (
    <>
      {pending.notTaken.length > 0 && (
        <div className={styles.notTaken} role="alert">
          <ul>
            {pending.notTaken.map(({ filename, failure }, index) => (
              <li key={index}>
                <strong>
                  {text.attachments.notTaken}: {filename}
                </strong>{" "}
                {failure.message}
              </li>
            ))}
          </ul>
          <IconButton
            icon="close"
            size={16}
            label={text.attachments.seen}
            onClick={() => files.seen(id)}
          />
        </div>
      )}
      {pending.files.length > 0 && (
        <ul className={styles.files} aria-label={text.attachments.label}>
          {pending.files.map((file) => (
            <PendingChip
              key={file.id}
              file={file}
              onAgain={() => files.retry(id, file)}
              onRemove={() => files.remove(id, file.id)}
            />
          ))}
        </ul>
      )}
    </>
  );
}

interface ChipProps {
  file: PendingFile;
  onAgain: () => void;
  onRemove: () => void;
}

function PendingChip({ file, onAgain, onRemove }: ChipProps) {
  const { filename, failure, phase } = file;
  return (
    <li className={styles.file} data-phase={phase}>
      <Thumbnail file={file} />
      <span className={styles.text}>
        <span className={styles.name} title={filename}>
          {filename}
        </span>
        <span className={styles.about}>
          {phase === "uploading" && text.attachments.coming(Math.round(file.sent * 100))}
          {phase === "ready" && sizeOf(file.sizeBytes)}
          {phase === "failed" && text.attachments.failed}
        </span>
        {phase === "uploading" && (
          <progress className={styles.progress} aria-label={filename} max={1} value={file.sent} />
        )}
        {failure && (
          <span className={styles.why} role="alert">
            {wordsOf(failure).message} {wordsOf(failure).hint}
          </span>
        )}
      </span>
      {phase === "failed" && file.file && (
        <IconButton
          icon="again"
          size={16}
          label={text.attachments.again(filename)}
          onClick={onAgain}
        />
      )}
      <IconButton
        icon="close"
        size={16}
        label={text.attachments.remove(filename)}
        onClick={onRemove}
      />
    </li>
  );
}

function Thumbnail({ file: { preview, mimeType } }: { file: PendingFile }) {
  if (preview) return <img className={styles.thumb} src={preview} alt="" />;
  return (
    <span className={styles.icon}>
      <Icon name={isImage(mimeType) ? "image" : "paper"} />
    </span>
  );
}
