import { useState } from "react";
import type { Rated } from "../app/opinions";
import { useController } from "../app/use";
import type { Failure } from "../client/failure";
import { text } from "../messages";
import type { Feedback } from "../protocol";
import { Button } from "../ui/Button";
import { wordsOf } from "../ui/Problem";
import styles from "./Opinion.module.css";

/** A rating that is kept at once, and a comment that may follow. */
export function useOpinion(of: Rated, given: Feedback | undefined) {
  const { opinions } = useController();
  const [asking, setAsking] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const [thanked, setThanked] = useState(false);
  const rating = given?.rating ?? 0;
  const say = async (value: number | null, comment: string) => {
    const problem = await opinions.rate(of, value, comment);
    setFailure(problem);
    return problem === null;
  };
  return {
    rating,
    asking,
    failure,
    thanked,
    comment: given?.comment ?? "",
    /** Said twice it is taken back. */
    rate: async (value: number) => {
      const back = value === rating;
      setThanked(false);
      setAsking(!back);
      if (!(await say(back ? null : value, given?.comment ?? ""))) setAsking(true);
    },
    tell: async (comment: string) => {
      if (await say(rating || null, comment)) setThanked(true);
    },
    close: () => setAsking(false),
  };
}

export function Comment({ opinion }: { opinion: ReturnType<typeof useOpinion> }) {
  const [words, setWords] = useState(opinion.comment);
  const { failure, thanked } = opinion;
  return (
    <form
      className={styles.comment}
      onSubmit={(event) => {
        event.preventDefault();
        void opinion.tell(words);
      }}
    >
      <textarea
        rows={2}
        maxLength={2_000}
        aria-label={text.feedback.comment}
        placeholder={text.feedback.comment}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      <div className={styles.buttons}>
        <p role="status">
          {failure && `${wordsOf(failure).message} ${wordsOf(failure).hint}`}
          {!failure && thanked && text.feedback.thanks}
        </p>
        <Button onClick={opinion.close}>{text.feedback.close}</Button>
        <Button kind="primary" type="submit" disabled={words.trim() === ""}>
          {text.feedback.send}
        </Button>
      </div>
    </form>
  );
}
