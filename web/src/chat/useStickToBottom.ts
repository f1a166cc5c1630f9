import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

const NEAR_PX = 80;

/** Follows what is added at the bottom, until the reader scrolls away from it. */
export function useStickToBottom(items: readonly unknown[]) {
  const scroller = useRef<HTMLElement>(null);
  const stuck = useRef(true);
  const [away, setAway] = useState(false);
  const count = useRef(0);
  const shown = items.length > 0;

  const toBottom = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    element.scrollTop = element.scrollHeight;
    stuck.current = true;
    setAway(false);
  }, []);

  const onScroll = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    stuck.current = element.scrollHeight - element.scrollTop - element.clientHeight < NEAR_PX;
    setAway(!stuck.current);
  }, []);

  useLayoutEffect(() => {
    const own = items.length === count.current + 2; // a message of one's own and its answer
    count.current = items.length;
    if (stuck.current || own) toBottom();
  }, [items, toBottom]);

  useEffect(() => {
    const element = scroller.current;
    if (!element) return undefined;
    const observer = new ResizeObserver(() => {
      if (stuck.current) toBottom(); // the message field has grown
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, [shown, toBottom]);

  return { scroller, away, toBottom, onScroll };
}
