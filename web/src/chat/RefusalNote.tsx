import type { Failure } from "../client/failure";
import { text } from "../messages";
import { Button } from "../ui/Button";
import { Problem } from "../ui/Problem";
import styles from "./RefusalNote.module.css";

/** Codes after which only another conversation helps. */
export const NEEDS_ANOTHER: ReadonlySet<string> = new Set([
  "CONTEXT_EXHAUSTED",
  "CONVERSATION_NOT_FOUND",
  "CONVERSATION_INACTIVE",
]);

interface RefusalProps {
  failure: Failure;
  canSend: boolean;
  onSend: () => void;
  onFresh: () => void;
  onDismiss: () => void;
}

/** Why a message was not taken. What was typed is in the field below. */
export function RefusalNote({ failure, canSend, onSend, onFresh, onDismiss }: RefusalProps) {
  return (
    <div className={styles.note}>
      <Problem title={text.failure.notSent} failure={failure}>
        <Button icon="again" disabled={!canSend} onClick={onSend}>
          {text.failure.sendAgain}
        </Button>
        {NEEDS_ANOTHER.has(failure.code) && (
          <Button icon="plus" onClick={onFresh}>
            {text.failure.fresh}
          </Button>
        )}
        <Button onClick={onDismiss}>{text.failure.dismiss}</Button>
      </Problem>
    </div>
  );
}
