import type { Failure } from "../client/failure";
import { text } from "../messages";
import { Button } from "../ui/Button";
import { Problem } from "../ui/Problem";
import styles from "./RefusalNote.module.css";

interface RefusalProps {
  failure: Failure;
  canSend: boolean;
  onSend: () => void;
  onDismiss: () => void;
}

/** Why a message was not taken. What was typed is in the field below. */
export function RefusalNote({ failure, canSend, onSend, onDismiss }: RefusalProps) {
  return (
    <div className={styles.note}>
      <Problem title={text.failure.notSent} failure={failure}>
        <Button icon="again" disabled={!canSend} onClick={onSend}>
          {text.failure.sendAgain}
        </Button>
        <Button onClick={onDismiss}>{text.failure.dismiss}</Button>
      </Problem>
    </div>
  );
}
