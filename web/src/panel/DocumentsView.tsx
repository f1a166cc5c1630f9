import { useRef } from "react";
import { useApp, useController } from "../app/use";
import { text } from "../messages";
import { NEW } from "../state/app";
import { Button } from "../ui/Button";
import { Problem } from "../ui/Problem";
import { Skeleton } from "../ui/Skeleton";
import { useDrop } from "../ui/useDrop";
import { DocumentRow } from "./DocumentRow";
import styles from "./DocumentsView.module.css";
import { UploadRow } from "./UploadRow";

/** The documents that the agent answers from, and a place to add more. */
export function DocumentsView({ conversationId }: { conversationId: string | null }) {
  const { documents } = useController();
  const state = useApp((app) => app.documents);
  const files = useRef<HTMLInputElement>(null);
  const { dropping, ...dropTarget } = useDrop((dropped) => documents.upload(dropped));
  return (
    <>
      <p className={styles.lead}>{text.documents.lead}</p>
      <div className={styles.add} data-dropping={dropping} {...dropTarget}>
        <Button kind="primary" icon="plus" onClick={() => files.current?.click()}>
          {text.documents.choose}
        </Button>
        <p>{text.documents.drop}</p>
        <input
          ref={files}
          type="file"
          multiple
          hidden
          aria-label={text.documents.choose}
          onChange={(event) => {
            documents.upload([...(event.target.files ?? [])]);
            event.target.value = "";
          }}
        />
      </div>
      {state.phase === "loading" && <Skeleton widths={[90, 75, 82]} label={text.documents.label} />}
      {state.phase === "failed" && (
        <Problem title={text.documents.failed} failure={state.failure}>
          <Button icon="again" onClick={() => void documents.load()}>
            {text.documents.again}
          </Button>
        </Problem>
      )}
      <ul className={styles.list} aria-label={text.documents.label}>
        {state.uploads.map((upload) => (
          <UploadRow key={upload.id} upload={upload} />
        ))}
        {state.rows.map((row) => (
          <DocumentRow key={row.documentId} row={row} draftId={conversationId ?? NEW} />
        ))}
      </ul>
      {state.phase === "ready" && state.rows.length === 0 && state.uploads.length === 0 && (
        <p className={styles.empty}>{text.documents.empty}</p>
      )}
    </>
  );
}
