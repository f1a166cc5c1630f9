import { useEffect, useId, useState } from "react";
import { text } from "../messages";
import type { Thoughts } from "../state/turn";
import { Icon } from "../ui/Icon";
import styles from "./Reasoning.module.css";

interface ReasoningProps {
  thoughts: Thoughts;
  live: boolean;
  /** Who thinks, if it is not the agent. */
  of?: string;
}

/** One pass of thinking, folded unless one wants to see it. */
export function Reasoning({ thoughts, live, of }: ReasoningProps) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const label = open ? text.reasoning.hide : text.reasoning.show;
  return (
    <div className={styles.reasoning} data-open={open}>
      <button type="button" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        <Icon name="chevron" size={16} />
        {of ? text.reasoning.ofTool(label, of) : label}
        {live ? <Live from={thoughts.from} /> : <Took thoughts={thoughts} />}
      </button>
      <div id={id} hidden={!open} className={styles.words}>
        {thoughts.text.trim()}
      </div>
    </div>
  );
}

function Took({ thoughts: { from, to } }: { thoughts: Thoughts }) {
  const seconds = from === undefined || to === undefined ? 0 : Math.round((to - from) / 1000);
  return seconds > 0 ? <span className={styles.took}>{text.reasoning.took(seconds)}</span> : null;
}

function Live({ from }: { from: number | undefined }) {
  const [now, setNow] = useState(from);
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, []);
  const seconds = from === undefined || now === undefined ? 0 : Math.floor((now - from) / 1000);
  return <span className={styles.live}>{text.reasoning.thinking(seconds)}</span>;
}
