import { useEffect, useRef, useState } from "react";
import { useController } from "../app/use";
import { text } from "../messages";
import { IconButton } from "../ui/Button";
import { Icon } from "../ui/Icon";
import styles from "./Search.module.css";

const PAUSE_MS = 250;

/** Searches titles and messages while it is typed. */
export function Search() {
  const { conversations, store } = useController();
  const [query, setQuery] = useState(() => store.get().list.query);
  const asked = useRef(query);

  useEffect(() => {
    if (query === asked.current) return undefined;
    const timer = setTimeout(() => {
      asked.current = query;
      void conversations.search(query.trim());
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [conversations, query]);

  return (
    <div className={styles.search} role="search">
      <Icon name="search" size={16} />
      <input
        type="text"
        aria-label={text.list.search}
        placeholder={text.list.search}
        maxLength={200}
        value={query}
        onChange={(event) => setQuery(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Escape" && query) {
            event.stopPropagation();
            event.preventDefault();
            setQuery("");
          }
        }}
      />
      {query && (
        <IconButton icon="close" size={14} label={text.list.clear} onClick={() => setQuery("")} />
      )}
    </div>
  );
}
