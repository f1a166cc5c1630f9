import { useApp } from "../app/use";

/** Tells a screen reader what is worth telling: an answer once it is there, not each of its words. */
export function LiveRegion() {
  const { words, count } = useApp((state) => state.announcement);
  return (
    <div role="status" aria-live="polite" className="visually-hidden">
      <p key={count}>{words}</p>
    </div>
  );
}
