import { useId, useState } from "react";
import { text } from "../messages";
import { Icon } from "../ui/Icon";
import styles from "./Reasoning.module.css";

/** One pass of thinking, folded unless one wants to see it. */
export function Reasoning({ words, live }: { words: string; live: boolean }) {
  const [open, setOpen] = useState(false);
  const id = useId();
  const label = open ? text.reasoning.hide : text.reasoning.show;
  return (
    <div className={styles.reasoning} data-open={open}>
      <button type="button" aria-expanded={open} aria-controls={id} onClick={() => setOpen(!open)}>
        <Icon name="chevron" size={16} />
        {label}
        {live && <span className={styles.live}>{text.reasoning.thinking}</span>}
      </button>
      <div id={id} hidden={!open} className={styles.words}>
        {words.trim()}
      </div>
    </div>
  );
}
