import { useRef, useState } from "react";
import { useController } from "../app/use";
import { text } from "../messages";
import type { ConversationSummary } from "../protocol";
import styles from "./Rename.module.css";

/** A title that is typed in place: Enter keeps it, Esc does not. */
export function Rename({ row, onDone }: { row: ConversationSummary; onDone: () => void }) {
  const { conversations } = useController();
  const [title, setTitle] = useState(row.title ?? "");
  const [error, setError] = useState<string>();
  const left = useRef(false); // a field that goes away loses its focus, too

  const leave = () => {
    left.current = true;
    onDone();
  };
  const save = async () => {
    const wanted = title.trim();
    if (left.current) return;
    if (!wanted || wanted === row.title) {
      leave();
      return;
    }
    const failure = await conversations.rename(row.conversationId, wanted);
    if (failure) setError(`${failure.message} ${failure.hint}`);
    else leave();
  };

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save();
      }}
    >
      <input
        // eslint-disable-next-line jsx-a11y/no-autofocus -- the button that was pressed becomes this field
        autoFocus
        className={styles.field}
        aria-label={text.list.newTitle}
        aria-invalid={error !== undefined}
        maxLength={200}
        value={title}
        onFocus={(event) => event.target.select()}
        onChange={(event) => setTitle(event.target.value)}
        onBlur={() => void save()}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          event.preventDefault();
          leave();
        }}
      />
      {error && (
        <p role="alert" className={styles.error}>
          {error}
        </p>
      )}
    </form>
  );
}
