import { useCallback } from "react";
import { go } from "../app/route";
import { useApp, useController } from "../app/use";
import { text } from "../messages";
import { NEW } from "../state/app";
import type { Source } from "../state/sources";
import { emptyThread, readyThread, runningTurn, type Thread } from "../state/thread";
import { Button } from "../ui/Button";
import { Icon } from "../ui/Icon";
import { Problem } from "../ui/Problem";
import { Skeleton } from "../ui/Skeleton";
import { Answer } from "./Answer";
import styles from "./ThreadView.module.css";
import { useStickToBottom } from "./useStickToBottom";
import { UserMessage } from "./UserMessage";
import { Welcome } from "./Welcome";

interface ThreadProps {
  conversationId: string | null;
  onSource: (source: Source) => void;
}

export function ThreadView({ conversationId, onSource }: ThreadProps) {
  const { chat } = useController();
  const id = conversationId ?? NEW;
  const thread =
    useApp((state) => state.threads[id]) ?? (conversationId ? emptyThread : readyThread);
  const { scroller, away, toBottom, onScroll } = useStickToBottom(thread.items);
  const ask = useCallback(
    (content: string) => void chat.send(conversationId, content),
    [chat, conversationId],
  );

  if (thread.phase === "loading") {
    return (
      <div className={styles.scroller}>
        <div className={styles.column}>
          <Skeleton widths={[40, 92, 84, 66]} label={text.thread.loading} />
        </div>
      </div>
    );
  }
  if (thread.phase === "failed" && conversationId) {
    const gone = thread.failure?.code.startsWith("CONVERSATION_");
    return (
      <div className={styles.scroller}>
        <div className={styles.column}>
          <Problem title={text.thread.failed} failure={thread.failure}>
            {!gone && (
              <Button icon="again" onClick={() => void chat.open(conversationId)}>
                {text.thread.again}
              </Button>
            )}
            <Button onClick={() => go(null)}>{text.thread.fresh}</Button>
          </Problem>
        </div>
      </div>
    );
  }
  if (thread.items.length === 0) {
    return (
      <div className={styles.scroller}>
        <Welcome onAsk={ask} />
      </div>
    );
  }
  return (
    <div className={styles.frame}>
      <section
        className={styles.scroller}
        ref={scroller}
        onScroll={onScroll}
        aria-label={text.thread.label}
        // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that keys can scroll it
        tabIndex={0}
      >
        <div className={styles.column}>
          {thread.older && conversationId && (
            <Button disabled={thread.loadingOlder} onClick={() => void chat.older(conversationId)}>
              {text.thread.older}
            </Button>
          )}
          <Items conversationId={conversationId} thread={thread} onSource={onSource} />
        </div>
      </section>
      {away && (
        <button
          type="button"
          className={styles.latest}
          aria-label={text.thread.latest}
          onClick={toBottom}
        >
          <Icon name="down" />
        </button>
      )}
    </div>
  );
}

interface ItemsProps extends ThreadProps {
  thread: Thread;
}

function Items({ conversationId, thread, onSource }: ItemsProps) {
  const { items, edit } = thread;
  const busy = runningTurn(thread) !== undefined;
  const asked = new Set(items.map((item) => (item.kind === "user" ? item.id : "")));
  return items.map((item) =>
    item.kind === "user" ? (
      <UserMessage
        key={item.id}
        item={item}
        conversationId={conversationId}
        edit={edit}
        busy={busy}
      />
    ) : (
      <Answer
        key={`answer-${item.key}`}
        turn={item}
        conversationId={conversationId}
        canRepeat={!busy && item === items.at(-1) && asked.has(item.key)}
        onSource={onSource}
      />
    ),
  );
}
