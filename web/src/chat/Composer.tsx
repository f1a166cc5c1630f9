import {
  use,
  useEffect,
  useId,
  useLayoutEffect,
  useRef,
  useState,
  type KeyboardEvent,
} from "react";
import { ModelContext, useApp, useController } from "../app/use";
import { NARROW, useMedia } from "../app/useMedia";
import { text } from "../messages";
import { NEW } from "../state/app";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import styles from "./Composer.module.css";
import { lengthOf } from "./limits";
import { RefusalNote } from "./RefusalNote";

interface ComposerProps {
  conversationId: string | null;
  running: boolean;
  onDocuments: () => void;
}

export function Composer({ conversationId, running, onDocuments }: ComposerProps) {
  const { chat } = useController();
  const id = conversationId ?? NEW;
  const draft = useApp((state) => state.drafts[id]) ?? "";
  const refusal = useApp((state) => state.threads[id]?.refusal);
  const [early, setEarly] = useState(false);
  const field = useField(draft, refusal?.messageId);
  const help = useId();
  const agent = useAgent();
  const length = lengthOf(draft);
  const sendable = draft.trim() !== "" && length.fits;

  const send = () => {
    setEarly(running);
    if (!running && sendable) void chat.send(conversationId, draft);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <div className={styles.composer}>
      {refusal && (
        <RefusalNote
          failure={refusal.failure}
          canSend={sendable && !running}
          onSend={send}
          onDismiss={() => chat.dismissRefusal(id)}
        />
      )}
      <form
        className={styles.box}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
      >
        <IconButton icon="plus" size={20} label={text.composer.attach} onClick={onDocuments} />
        <textarea
          ref={field}
          id="message"
          rows={1}
          aria-label={text.composer.label}
          aria-describedby={help}
          aria-invalid={!length.fits}
          placeholder={text.composer.placeholder(agent)}
          value={draft}
          onChange={(event) => {
            setEarly(false);
            chat.draft(id, event.target.value);
          }}
          onKeyDown={onKeyDown}
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
      <Help id={help} message={draft} busy={early && running} />
    </div>
  );
}

function Help({ id, message, busy }: { id: string; message: string; busy: boolean }) {
  const { offline } = use(ModelContext);
  const { left, near, tooManyBytes } = lengthOf(message);
  return (
    <div className={styles.help}>
      <p id={id} role={busy ? "status" : undefined} className={styles.keys}>
        {busy ? text.composer.busy : text.composer.keys}
      </p>
      {near && (
        <p className={left < 0 ? styles.over : undefined} role="status">
          {left < 0 ? text.composer.over(-left) : text.composer.left(left)}
        </p>
      )}
      {!near && tooManyBytes && (
        <p className={styles.over} role="status">
          {text.composer.tooManyBytes}
        </p>
      )}
      {offline && <p className={styles.badge}>{text.offline.badge}</p>}
    </div>
  );
}

function useAgent(): string {
  const name = useApp(
    ({ me }) => me?.agents.find((agent) => agent.agentId === me.defaultAgentId)?.name,
  );
  return name ?? text.thread.agentName;
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
