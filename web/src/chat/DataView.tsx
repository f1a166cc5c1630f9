import { text } from "../messages";
import styles from "./DataView.module.css";

/** Data of a tool: facts as a list of names and values, anything deeper as it is written. */
export function DataView({ value }: { value: unknown }) {
  const data = parsed(value);
  if (isEmpty(data)) return <p className={styles.nothing}>{text.tools.nothing}</p>;
  if (typeof data === "string") return <p className={styles.words}>{data}</p>;
  if (!isFlat(data)) {
    return (
      // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that keys can scroll it
      <pre className={styles.code} tabIndex={0}>
        {JSON.stringify(data, null, 2)}
      </pre>
    );
  }
  return (
    <dl className={styles.facts}>
      {Object.entries(data).map(([name, fact]) => (
        <div key={name}>
          <dt>{name.replaceAll("_", " ")}</dt>
          <dd>{shown(fact)}</dd>
        </div>
      ))}
    </dl>
  );
}

/** A string that holds JSON is that JSON. */
function parsed(value: unknown): unknown {
  if (typeof value !== "string" || !/^\s*[[{]/.test(value)) return value;
  try {
    return JSON.parse(value) as unknown;
  } catch {
    return value;
  }
}

function isEmpty(data: unknown): boolean {
  if (data === null || data === undefined || data === "") return true;
  return typeof data === "object" && Object.keys(data).length === 0;
}

function isFlat(data: unknown): data is Record<string, unknown> {
  if (typeof data !== "object" || data === null || Array.isArray(data)) return false;
  return Object.values(data).every(
    (fact) =>
      typeof fact !== "object" ||
      fact === null ||
      (Array.isArray(fact) && fact.every((each) => typeof each !== "object")),
  );
}

function shown(fact: unknown): string {
  if (fact === null || fact === undefined || fact === "") return text.tools.nothing;
  if (typeof fact === "boolean") return fact ? text.tools.yes : text.tools.no;
  if (Array.isArray(fact)) return fact.map(String).join(", ") || text.tools.nothing;
  return typeof fact === "string" ? fact : JSON.stringify(fact);
}
