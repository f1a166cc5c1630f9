import { createContext, memo, use, useMemo, type ReactNode } from "react";
import ReactMarkdown, { type Components } from "react-markdown";
import rehypeSanitize from "rehype-sanitize";
import remarkGfm from "remark-gfm";
import { text } from "../messages";
import type { Source } from "../state/sources";
import { CITE, rehypeCitations } from "./citations";
import { remarkLiteralHtml } from "./literalHtml";
import styles from "./Markdown.module.css";

interface Cited {
  sources: readonly Source[];
  onSource: (source: Source) => void;
}

const CitedContext = createContext<Cited>({ sources: [], onSource: () => undefined });

interface MarkdownProps extends Cited {
  words: string;
  live: boolean;
}

/** The model's words. HTML in them is shown as text, images are not fetched, links leave without a trace. */
export function Markdown({ words, live, sources, onSource }: MarkdownProps) {
  const cited = useMemo(() => ({ sources, onSource }), [sources, onSource]);
  return (
    <CitedContext value={cited}>
      <div className={styles.markdown} data-live={live}>
        <Rendered words={words} />
      </div>
    </CitedContext>
  );
}

const Rendered = memo(function Rendered({ words }: { words: string }) {
  return (
    <ReactMarkdown
      remarkPlugins={[remarkGfm, remarkLiteralHtml]}
      rehypePlugins={[rehypeSanitize, rehypeCitations]}
      components={components}
    >
      {words}
    </ReactMarkdown>
  );
});

const components: Components = {
  a: ({ href, children }) => (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  ),
  img: ({ alt }) => <span className={styles.image}>{alt}</span>,
  // A conversation has its own heading; those of an answer stand below it.
  h1: ({ children }) => <h2>{children}</h2>,
  h2: ({ children }) => <h2>{children}</h2>,
  table: ({ children }) => (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that keys can scroll it
    <div className={styles.wide} tabIndex={0}>
      <table>{children}</table>
    </div>
  ),
  pre: ({ children }) => (
    // eslint-disable-next-line jsx-a11y/no-noninteractive-tabindex -- so that keys can scroll it
    <pre tabIndex={0}>{children}</pre>
  ),
  ...({ [CITE]: Citation } as Components),
};

/** `[n]`: a button where there is such a source, plain text where there is none. */
function Citation({ children }: { children?: ReactNode }) {
  const { sources, onSource } = use(CitedContext);
  const n = Number(children);
  const source = sources.find((each) => each.n === n);
  if (!source) return <>[{children}]</>;
  return (
    <button
      type="button"
      className={styles.cite}
      aria-label={text.sources.citeOf(n, source.filename)}
      title={source.filename}
      onClick={() => onSource(source)}
    >
      {n}
    </button>
  );
}
