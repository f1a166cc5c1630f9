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
      <h3>{text.sources.label}</h3>
      <ul>
        {sources.map((source) => (
          <li key={source.n}>
            <button
              type="button"
              aria-label={text.sources.open(source.filename)}
              onClick={() => onOpen(source)}
            >
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
