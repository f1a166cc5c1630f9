import { use } from "react";
import { ModelContext, useApp, useController } from "../app/use";
import { useAgent } from "../app/useAgent";
import { text } from "../messages";
import styles from "./Composer.module.css";
import { lengthOf } from "./limits";

interface HelpProps {
  id: string;
  conversationId: string | null;
  message: string;
  wait: string | null;
}

/** What is worth knowing under the message field. */
export function ComposerHelp({ id, conversationId, message, wait }: HelpProps) {
  const { offline } = use(ModelContext);
  const own = useAgent(conversationId)?.llmModel;
  const { left, near, tooManyBytes } = lengthOf(message);
  return (
    <div className={styles.help}>
      <p id={id} role={wait ? "status" : undefined} className={styles.keys}>
        {wait ?? text.composer.keys}
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
      {!conversationId && <KeepToggle />}
      {offline && (!own || own.includes("rolecall.offline")) && (
        <p className={styles.badge}>{text.offline.badge}</p>
      )}
    </div>
  );
}

/** Whether the conversation that begins here is kept. */
function KeepToggle() {
  const { chat } = useController();
  const store = useApp((state) => state.fresh.store);
  return (
    <label className={styles.keep} title={text.unstored.hint}>
      <input
        type="checkbox"
        checked={!store}
        onChange={(event) => chat.fresh({ store: !event.target.checked })}
      />
      {text.unstored.toggle}
    </label>
  );
}
