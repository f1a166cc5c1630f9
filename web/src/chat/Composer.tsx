import {
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type ClipboardEvent,
  type KeyboardEvent,
} from "react";
import { go } from "../app/route";
import { useApp, useController } from "../app/use";
import { useAgentName } from "../app/useAgent";
import { NARROW, useMedia } from "../app/useMedia";
import { text } from "../messages";
import { NEW } from "../state/app";
import { isWhole, nothingPending, type Pending } from "../state/pending";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { AboutDocuments } from "./AboutDocuments";
import { AttachButton } from "./AttachButton";
import styles from "./Composer.module.css";
import { ComposerHelp } from "./ComposerHelp";
import { lengthOf } from "./limits";
import { PendingFiles } from "./PendingFiles";
import { RefusalNote } from "./RefusalNote";

interface ComposerProps {
  conversationId: string | null;
  running: boolean;
  onDocuments: () => void;
}

export function Composer({ conversationId, running, onDocuments }: ComposerProps) {
  const { chat, files } = useController();
  const id = conversationId ?? NEW;
  const draft = useApp((state) => state.drafts[id]) ?? "";
  const pending = useApp((state) => state.pending[id]) ?? nothingPending;
  const refusal = useApp((state) => state.threads[id]?.refusal);
  const [early, setEarly] = useState(false);
  const field = useField(draft, refusal?.messageId);
  const help = useId();
  const agent = useAgentName(conversationId);
  const fits = lengthOf(draft).fits;
  const something = draft.trim() !== "" || pending.files.length > 0;
  const sendable = something && fits && isWhole(pending);

  const send = () => {
    setEarly(running || (something && !sendable));
    if (!running && sendable) void chat.send(conversationId, draft);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  const onPaste = (event: ClipboardEvent) => {
    const pasted = [...event.clipboardData.files];
    if (pasted.length === 0) return;
    event.preventDefault();
    files.add(id, pasted);
  };
  const begin = () => {
    chat.draft(NEW, draft);
    chat.draft(id, "");
    go(null);
  };

  return (
    <div className={styles.composer}>
      {refusal && (
        <RefusalNote
          failure={refusal.failure}
          canSend={sendable && !running}
          onSend={send}
          onFresh={begin}
          onDismiss={() => chat.dismissRefusal(id)}
        />
      )}
      <PendingFiles id={id} pending={pending} />
      <AboutDocuments id={id} documentIds={pending.about} />
      <form
        className={styles.box}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <AttachButton onFiles={(chosen) => files.add(id, chosen)} />
        <IconButton icon="paper" size={20} label={text.composer.about} onClick={onDocuments} />
        <textarea
          ref={field}
          id="message"
          rows={1}
          aria-label={text.composer.label}
          aria-describedby={help}
          aria-invalid={!fits}
          placeholder={text.composer.placeholder(agent)}
          value={draft}
          onChange={(event) => {
            setEarly(false);
            chat.draft(id, event.target.value);
          }}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        {running ? (
          <button
            type="button"
            className={styles.send}
            data-stop
            aria-label={text.composer.stop}
            title={text.composer.stop}
            onClick={() => conversationId && void chat.stop(conversationId)}
          >
            <Icon name="stop" size={20} />
          </button>
        ) : (
          <button
            type="submit"
            className={styles.send}
            disabled={!sendable}
            aria-label={text.composer.send}
          >
            <Icon name="send" size={20} />
          </button>
        )}
      </form>
      <ComposerHelp
        id={help}
        conversationId={conversationId}
        message={draft}
        wait={early ? waitWords(running, pending) : null}
      />
    </div>
  );
}

/** Why nothing is sent just now. */
function waitWords(running: boolean, pending: Pending): string | null {
  if (running) return text.composer.busy;
  if (pending.files.some((file) => file.phase === "failed")) return text.composer.filesFailed;
  return isWhole(pending) ? null : text.composer.filesComing;
}

/** A field as high as what is in it; it has the focus when a conversation opens or a message comes back. */
function useField(draft: string, refused: string | undefined) {
  const field = useRef<HTMLTextAreaElement>(null);
  const narrow = useMedia(NARROW);
  useLayoutEffect(() => {
    const element = field.current;
    if (!element) return;
    element.style.height = "auto";
    element.style.height = `${element.scrollHeight}px`;
  }, [draft]);
  useEffect(() => {
    if (!narrow || refused) field.current?.focus(); // on a phone it would bring up the keyboard
  }, [narrow, refused]);
  return field;
}
