import type { ReactNode } from "react";
import { CONNECTION_LOST, NO_ANSWER, type Failure } from "../client/failure";
import { text } from "../messages";
import { Icon } from "./Icon";
import styles from "./Problem.module.css";

/** The words for a failure; those of the client itself are in our messages. */
export function wordsOf(failure: Failure): { message: string; hint: string } {
  if (failure.code === CONNECTION_LOST) return text.failure.lost;
  if (failure.code === NO_ANSWER) return text.failure.noAnswer;
  return failure;
}

interface ProblemProps {
  title: string;
  failure?: Failure | undefined;
  children?: ReactNode;
}

/** What went wrong, and what to do next. */
export function Problem({ title, failure, children }: ProblemProps) {
  const words = failure && wordsOf(failure);
  return (
    <div className={styles.problem}>
      <Icon name="warn" />
      <div>
        <p className={styles.title}>{title}</p>
        {words && (
          <p>
            {words.message} {words.hint}
          </p>
        )}
        {children && <div className={styles.actions}>{children}</div>}
      </div>
    </div>
  );
}
