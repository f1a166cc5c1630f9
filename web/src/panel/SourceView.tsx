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
  return (
    <article className={styles.source}>
      <h3>{source.filename}</h3>
      {place && <p className={styles.place}>{place}</p>}
      <figure>
        <blockquote aria-label={text.sources.passage}>
          <mark>{source.snippet}</mark>
        </blockquote>
      </figure>
      <Match source={source} />
    </article>
  );
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
      <h4>{text.sources.match}</h4>
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
