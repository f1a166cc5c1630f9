import { useApp, useController } from "../app/use";
import { text } from "../messages";
import { Button } from "../ui/Button";
import { Problem } from "../ui/Problem";
import { Skeleton } from "../ui/Skeleton";
import { ConversationItem } from "./ConversationItem";
import styles from "./ConversationList.module.css";
import { grouped } from "./groups";

interface ListProps {
  current: string | null;
  onChosen: () => void;
}

export function ConversationList({ current, onChosen }: ListProps) {
  const { conversations } = useController();
  const list = useApp((state) => state.list);
  const unkept = { label: text.unstored.badge, rows: list.aside };
  const started = list.rows.filter((row) => row.messageCount > 0 || row.conversationId === current);
  const groups = [...(list.aside.length > 0 ? [unkept] : []), ...grouped(started, new Date())];

  return (
    <div className={styles.list}>
      {list.phase === "loading" && (
        <Skeleton widths={[80, 62, 90, 70]} label={text.thread.loading} />
      )}
      {list.phase === "failed" && (
        <Problem title={text.list.failed} failure={list.failure}>
          <Button icon="again" onClick={() => void conversations.load()}>
            {text.list.again}
          </Button>
        </Problem>
      )}
      {list.phase === "ready" && started.length === 0 && (
        <p className={styles.empty}>
          {list.query ? text.list.nothingFound(list.query) : text.list.empty}
        </p>
      )}
      {groups.map((group) => (
        <section key={group.label} aria-label={group.label}>
          <h2 className={styles.day}>{group.label}</h2>
          <ul>
            {group.rows.map((row) => (
              <ConversationItem
                key={row.conversationId}
                row={row}
                current={row.conversationId === current}
                onChosen={onChosen}
              />
            ))}
          </ul>
        </section>
      ))}
      {list.next && <Button onClick={() => void conversations.more()}>{text.list.more}</Button>}
    </div>
  );
}
