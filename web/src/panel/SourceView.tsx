import { useEffect, useState } from "react";
import { useController } from "../app/use";
import { text } from "../messages";
import type { Source } from "../state/sources";
import styles from "./SourceView.module.css";

/** The passage that an answer stands on, and why it was found. */
export function SourceView({ source }: { source: Source }) {
  const place = [
    source.page !== undefined && text.sources.page(source.page, source.pageTo),
    source.section,
  ]
    .filter(Boolean)
    .join(" · ");
  const passage = usePassage(source.chunkId);
  return (
    <article className={styles.source}>
      <h3>{source.filename}</h3>
      {place && <p className={styles.place}>{place}</p>}
      <Match source={source} />
      <figure>
        <blockquote aria-label={text.sources.passage}>{passage ?? source.snippet}</blockquote>
      </figure>
      {passage === null && <p className={styles.place}>{text.sources.gone}</p>}
    </article>
  );
}

/** The stored passage; undefined while it is read, null where it is gone. */
function usePassage(chunkId: string): string | null | undefined {
  const { documents } = useController();
  const [found, setFound] = useState<{ chunkId: string; content: string | null }>();
  useEffect(() => {
    let wanted = true;
    void documents.passage(chunkId).then((passage) => {
      if (wanted) setFound({ chunkId, content: passage?.content ?? null });
    });
    return () => {
      wanted = false;
    };
  }, [chunkId, documents]);
  return found?.chunkId === chunkId ? found.content : undefined;
}

function Match({ source }: { source: Source }) {
  const parts = [
    { label: text.sources.overall, value: source.score },
    { label: text.sources.meaning, value: source.vectorScore },
    { label: text.sources.words, value: source.textScore },
  ].flatMap(({ label, value }) => (value === undefined ? [] : [{ label, value }]));
  if (parts.length === 0) return null;
  return (
    <section aria-label={text.sources.match} className={styles.match}>
      <p className={styles.about}>{text.sources.match}</p>
      <dl>
        {parts.map(({ label, value }) => (
          <div key={label}>
            <dt>{label}</dt>
            <dd>
              <meter min={0} max={1} value={value} aria-label={label} />
              {Math.round(value * 100)} %
            </dd>
          </div>
        ))}
      </dl>
    </section>
  );
}
