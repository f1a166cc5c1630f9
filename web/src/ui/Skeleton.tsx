import styles from "./Skeleton.module.css";

/** Grey lines where text will be; `label` is what a screen reader hears meanwhile. */
export function Skeleton({ widths, label }: { widths: number[]; label: string }) {
  return (
    <div role="status" className={styles.skeleton}>
      <span className="visually-hidden">{label}</span>
      {widths.map((width, index) => (
        <span key={index} className={styles.line} style={{ width: `${width}%` }} />
      ))}
    </div>
  );
}
