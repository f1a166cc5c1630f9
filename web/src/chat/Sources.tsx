import { text } from "../messages";
import type { Source } from "../state/sources";
import styles from "./Sources.module.css";

interface SourcesProps {
  sources: readonly Source[];
  onOpen: (source: Source) => void;
}

/** What an answer stands on; each opens its passage. */
export function Sources({ sources, onOpen }: SourcesProps) {
  return (
    <section aria-label={text.sources.label} className={styles.sources}>
      <h2>{text.sources.label}</h2>
      <ul>
        {sources.map((source) => (
          <li key={source.n}>
            <button type="button" onClick={() => onOpen(source)}>
              <span className={styles.number}>{source.n}</span>
              <span className={styles.name}>{source.filename}</span>
              {source.page !== undefined && (
                <span className={styles.page}>{text.sources.page(source.page, source.pageTo)}</span>
              )}
            </button>
          </li>
        ))}
      </ul>
    </section>
  );
}
