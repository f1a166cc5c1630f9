import { useController } from "../app/use";
import { text } from "../messages";
import type { Upload } from "../state/documents";
import { Button, IconButton } from "../ui/Button";
import { wordsOf } from "../ui/Problem";
import { Progress, sizeOf } from "./DocumentRow";
import styles from "./DocumentRow.module.css";

/** A file on its way up: how far it is, or why it did not arrive. */
export function UploadRow({ upload }: { upload: Upload }) {
  const { documents } = useController();
  const { file, failure, id, sent } = upload;
  return (
    <li className={styles.row} data-status={failure ? "FAILED" : "UPLOADING"}>
      <div className={styles.text}>
        <p className={styles.name}>{file.name}</p>
        <p className={styles.status}>
          <span>
            {failure
              ? text.documents.status["FAILED"]
              : text.documents.uploading(Math.round(sent * 100))}
          </span>{" "}
          · {sizeOf(file.size)}
        </p>
        {failure ? (
          <>
            <p role="alert" className={styles.failure}>
              {wordsOf(failure).message} {wordsOf(failure).hint}
            </p>
            <div className={styles.actions}>
              <Button icon="again" onClick={() => void documents.retry(id)}>
                {text.documents.retry}
              </Button>
            </div>
          </>
        ) : (
          <Progress value={sent} label={file.name} />
        )}
      </div>
      <IconButton
        icon="close"
        size={16}
        label={text.documents.cancel(file.name)}
        onClick={() => documents.drop(id)}
      />
    </li>
  );
}
