import { useState, type KeyboardEvent } from "react";
import { useController } from "../app/use";
import { text } from "../messages";
import type { Edit } from "../state/thread";
import { Button, IconButton } from "../ui/Button";
import { Problem } from "../ui/Problem";
import { lengthOf } from "./limits";
import styles from "./UserMessage.module.css";

interface EditorProps {
  conversationId: string;
  edit: Edit;
  busy: boolean;
}

/** A message in its place, to be said otherwise. */
export function MessageEditor({ conversationId, edit, busy }: EditorProps) {
  const { chat } = useController();
  const [words, setWords] = useState(edit.text);
  const [attachments, setAttachments] = useState(edit.attachments);
  const { left, fits } = lengthOf(words);
  const sendable = !busy && fits && (words.trim() !== "" || attachments.length > 0);

  const cancel = () => chat.edit(conversationId, null);
  const send = () => {
    if (sendable)
      void chat.resend(conversationId, { messageId: edit.messageId, text: words, attachments });
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    if (event.key === "Escape") {
      event.preventDefault();
      cancel();
    } else if (event.key === "Enter" && !event.shiftKey) {
      event.preventDefault();
      send();
    }
  };
  return (
    <form
      className={styles.editor}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {edit.failure && <Problem title={text.failure.notSent} failure={edit.failure} />}
      {attachments.length > 0 && (
        <ul className={styles.kept} aria-label={text.attachments.label}>
          {attachments.map((file) => (
            <li key={file.key}>
              <span>{file.filename}</span>
              <IconButton
                icon="close"
                size={14}
                label={text.attachments.remove(file.filename)}
                onClick={() => setAttachments(attachments.filter((each) => each !== file))}
              />
            </li>
          ))}
        </ul>
      )}
      <textarea
        // eslint-disable-next-line jsx-a11y/no-autofocus -- the button that was pressed becomes this field
        autoFocus
        aria-label={text.edit.label}
        aria-invalid={!fits}
        value={words}
        onFocus={(event) => event.target.setSelectionRange(words.length, words.length)}
        onChange={(event) => setWords(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <div className={styles.buttons}>
        <p>{left < 0 ? text.composer.over(-left) : text.edit.note}</p>
        <Button onClick={cancel}>{text.edit.cancel}</Button>
        <Button kind="primary" type="submit" disabled={!sendable}>
          {text.edit.send}
        </Button>
      </div>
    </form>
  );
}
