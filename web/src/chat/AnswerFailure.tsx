import type { Failure } from "../client/failure";
import { text } from "../messages";
import { Button } from "../ui/Button";
import { Problem } from "../ui/Problem";
import styles from "./AnswerFailure.module.css";

interface FailureProps {
  failure: Failure;
  onAgain: (() => void) | undefined;
}

/** Why an answer ended early. That one stopped it oneself is no problem. */
export function AnswerFailure({ failure, onAgain }: FailureProps) {
  if (failure.code === "CANCELLED") {
    return (
      <p className={styles.stopped}>
        {text.failure.stopped}
        {onAgain && (
          <button type="button" onClick={onAgain}>
            {text.failure.askAgain}
          </button>
        )}
      </p>
    );
  }
  return (
    <Problem title={text.failure.title} failure={failure}>
      {onAgain && (
        <Button icon="again" onClick={onAgain}>
          {text.failure.retry}
        </Button>
      )}
    </Problem>
  );
}
