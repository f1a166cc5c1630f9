import { useApp } from "../app/use";
import { text } from "../messages";
import { isDone } from "../state/documents";
import { AgentPicker } from "../ui/AgentPicker";
import { Icon } from "../ui/Icon";
import { Skeleton } from "../ui/Skeleton";
import styles from "./Welcome.module.css";

/** An empty conversation: who this is for, and what could be asked. */
export function Welcome({ onAsk }: { onAsk: (content: string) => void }) {
  const me = useApp((state) => state.me);
  const document = useApp((state) => state.documents.rows.find(isDone)?.filename);
  if (!me) {
    return (
      <div className={styles.welcome}>
        <Skeleton widths={[70, 50, 100, 100]} label={text.thread.loading} />
      </div>
    );
  }
  const first = me.user?.name.split(" ")[0] ?? "";
  const tries = [
    ...text.welcome.tries[me.mode],
    ...(document ? [text.welcome.fromDocuments(document)] : []),
  ];
  return (
    <div className={styles.welcome}>
      <h2>{text.welcome.greeting(partOfDay(new Date()), first)}</h2>
      <p>{text.welcome.lead[me.mode]}</p>
      <div className={styles.agents}>
        <AgentPicker />
      </div>
      <ul aria-label={text.welcome.tryLabel}>
        {tries.map((words) => (
          <li key={words}>
            <button type="button" onClick={() => onAsk(words)}>
              <span className={styles.box}>
                <Icon name="check" size={12} />
              </span>
              <span className={styles.words}>{words}</span>
              <Icon name="chevron" size={16} />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

function partOfDay(now: Date): "morning" | "afternoon" | "evening" {
  const hour = now.getHours();
  if (hour < 4) return "evening";
  if (hour < 12) return "morning";
  return hour < 18 ? "afternoon" : "evening";
}
