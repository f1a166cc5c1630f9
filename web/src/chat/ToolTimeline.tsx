import { useId, useState } from "react";
import { text } from "../messages";
import type { ToolBlock } from "../state/turn";
import { Icon } from "../ui/Icon";
import { DataView } from "./DataView";
import { Reasoning } from "./Reasoning";
import styles from "./ToolTimeline.module.css";

/** The calls of a round, as a list that is ticked off. */
export function ToolTimeline({ calls }: { calls: readonly ToolBlock[] }) {
  return (
    <ol className={styles.timeline} aria-label={text.tools.label}>
      {calls.map((call) => (
        <ToolCall key={call.id} call={call} />
      ))}
    </ol>
  );
}

function ToolCall({ call }: { call: ToolBlock }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  return (
    <li className={styles.call} data-state={call.state}>
      <span className={styles.tick} aria-hidden="true">
        {call.state !== "running" && (
          <Icon name={call.state === "done" ? "check" : "close"} size={13} />
        )}
      </span>
      <button type="button" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        <span className={styles.name}>{nameOf(call.name)}</span>
        <span className={styles.state}>{text.tools.state[call.state]}</span>
        {call.ms !== undefined && call.state !== "running" && (
          <span className={styles.took}>{text.tools.took(call.ms)}</span>
        )}
        <Icon name="chevron" size={14} />
      </button>
      {call.thoughts && (
        <Reasoning
          thoughts={call.thoughts}
          live={call.state === "running"}
          of={nameOf(call.name)}
        />
      )}
      <div id={id} hidden={!open} className={styles.details}>
        <p className={styles.part}>{text.tools.input}</p>
        <DataView value={call.input} />
        {call.state !== "running" && (
          <>
            <p className={styles.part}>{text.tools.output}</p>
            <DataView value={call.output} />
          </>
        )}
        {call.truncated && <p className={styles.truncated}>{text.tools.truncated}</p>}
      </div>
    </li>
  );
}

/** `update_my_profile` reads as “Update my profile”. */
export function nameOf(name: string): string {
  const words = name.replaceAll("_", " ").trim();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
