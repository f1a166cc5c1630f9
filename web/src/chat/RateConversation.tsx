import { useState } from "react";
import { useApp, useController } from "../app/use";
import type { Failure } from "../client/failure";
import { text } from "../messages";
import { Button, IconButton } from "../ui/Button";
import { Modal } from "../ui/Dialog";
import { Icon } from "../ui/Icon";
import { wordsOf } from "../ui/Problem";
import styles from "./Opinion.module.css";

/** Says how a whole conversation was. */
export function RateConversation({ conversationId }: { conversationId: string }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <IconButton icon="star" label={text.feedback.rate} onClick={() => setOpen(true)} />
      {open && <RateDialog conversationId={conversationId} onClose={() => setOpen(false)} />}
    </>
  );
}

function RateDialog({ conversationId, onClose }: { conversationId: string; onClose: () => void }) {
  const { opinions } = useController();
  const given = useApp(
    (state) => state.list.rows.find((row) => row.conversationId === conversationId)?.feedback,
  );
  const [rating, setRating] = useState(given?.rating ?? 0);
  const [words, setWords] = useState(given?.comment ?? "");
  const [failure, setFailure] = useState<Failure | null>(null);
  const say = async (value: number | null) => {
    const problem = await opinions.rate({ conversationId }, value, words);
    setFailure(problem);
    if (!problem) onClose();
  };
  return (
    <Modal label={text.feedback.rate} className={styles.rate} onClose={onClose}>
      <h2>{text.feedback.how}</h2>
      <fieldset className={styles.stars}>
        <legend className="visually-hidden">{text.feedback.how}</legend>
        {text.feedback.stars.map((name, index) => (
          <label key={name} title={name} data-on={index < rating}>
            <input
              type="radio"
              name="rating"
              className="visually-hidden"
              aria-label={name}
              checked={rating === index + 1}
              onChange={() => setRating(index + 1)}
            />
            <Icon name="star" size={24} />
          </label>
        ))}
      </fieldset>
      <textarea
        rows={3}
        maxLength={2_000}
        aria-label={text.feedback.comment}
        placeholder={text.feedback.comment}
        value={words}
        onChange={(event) => setWords(event.target.value)}
      />
      {failure && (
        <p role="alert" className={styles.error}>
          {wordsOf(failure).message} {wordsOf(failure).hint}
        </p>
      )}
      <div className={styles.buttons}>
        {given && <Button onClick={() => void say(null)}>{text.feedback.takeBack}</Button>}
        <Button onClick={onClose}>{text.feedback.close}</Button>
        <Button kind="primary" disabled={rating === 0} onClick={() => void say(rating)}>
          {text.feedback.save}
        </Button>
      </div>
    </Modal>
  );
}
