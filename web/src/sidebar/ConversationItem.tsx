import { useRef, useState } from "react";
import { addressOf } from "../app/route";
import { useApp, useController } from "../app/use";
import { text } from "../messages";
import type { ConversationSummary } from "../protocol";
import { isUnkept } from "../state/list";
import { runningTurn } from "../state/thread";
import { IconButton } from "../ui/Button";
import { Confirm } from "../ui/Dialog";
import styles from "./ConversationItem.module.css";
import { Rename } from "./Rename";

interface ItemProps {
  row: ConversationSummary;
  current: boolean;
  onChosen: () => void;
}

export function ConversationItem({ row, current, onChosen }: ItemProps) {
  const { conversations } = useController();
  const [mode, setMode] = useState<"shown" | "renaming" | "removing">("shown");
  const [error, setError] = useState<string>();
  const running = useApp((state) => Boolean(runningTurn(state.threads[row.conversationId])));
  const link = useRef<HTMLAnchorElement>(null);
  const title = row.title ?? text.list.untitled;

  const remove = async () => {
    const failure = await conversations.remove(row.conversationId);
    if (failure) setError(`${failure.message} ${failure.hint}`);
  };

  const renamed = () => {
    setMode("shown");
    requestAnimationFrame(() => link.current?.focus());
  };

  if (mode === "renaming") {
    return (
      <li>
        <Rename row={row} onDone={renamed} />
      </li>
    );
  }
  return (
    <li className={styles.item}>
      <a
        ref={link}
        className={styles.link}
        href={addressOf(row.conversationId)}
        aria-current={current ? "page" : undefined}
        onClick={onChosen}
      >
        {running && <span className={styles.running} />}
        <span className={styles.title}>{title}</span>
      </a>
      <span className={styles.actions}>
        {!isUnkept(row.conversationId) && (
          <IconButton
            icon="pencil"
            size={16}
            label={text.list.rename(title)}
            onClick={() => setMode("renaming")}
          />
        )}
        <IconButton
          icon="trash"
          size={16}
          label={text.list.remove(title)}
          onClick={() => setMode("removing")}
        />
      </span>
      {mode === "removing" && (
        <Confirm
          {...text.removeConversation}
          body={text.removeConversation.body(title)}
          error={error}
          onConfirm={() => void remove()}
          onCancel={() => setMode("shown")}
        />
      )}
    </li>
  );
}
