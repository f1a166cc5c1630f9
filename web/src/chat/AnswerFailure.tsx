import { go } from "../app/route";
import { useApp, useController } from "../app/use";
import { text } from "../messages";
import { NEW } from "../state/app";
import type { Turn } from "../state/turn";
import { Button } from "../ui/Button";
import { Problem } from "../ui/Problem";
import styles from "./AnswerFailure.module.css";
import { NEEDS_ANOTHER } from "./RefusalNote";

interface FailureProps {
  conversationId: string | null;
  turn: Turn;
  onAgain: (() => void) | undefined;
}

/** Why an answer ended early. That one stopped it oneself is no problem. */
export function AnswerFailure({ conversationId, turn, onAgain }: FailureProps) {
  const { chat } = useController();
  const question = useQuestion(conversationId, turn.key);
  if (turn.failure?.code === "CANCELLED") {
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
  const begin = () => {
    chat.draft(NEW, question);
    go(null);
  };
  return (
    <Problem title={text.failure.title} failure={turn.failure}>
      {NEEDS_ANOTHER.has(turn.failure?.code ?? "") && (
        <Button icon="plus" onClick={begin}>
          {text.failure.fresh}
        </Button>
      )}
      {onAgain && (
        <Button icon="again" onClick={onAgain}>
          {text.failure.retry}
        </Button>
      )}
    </Problem>
  );
}

const useQuestion = (conversationId: string | null, key: string): string =>
  useApp((state) => {
    const items = state.threads[conversationId ?? NEW]?.items ?? [];
    const asked = items.find((item) => item.kind === "user" && item.id === key);
    return asked?.kind === "user" ? asked.text : "";
  });
