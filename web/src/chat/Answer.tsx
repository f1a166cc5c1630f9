import { useState } from "react";
import { useApp } from "../app/use";
import { text } from "../messages";
import type { Source } from "../state/sources";
import { answerOf, isOver, type Block, type ToolBlock, type Turn } from "../state/turn";
import { IconButton } from "../ui/Button";
import styles from "./Answer.module.css";
import { AnswerFailure } from "./AnswerFailure";
import { Markdown } from "./Markdown";
import { Reasoning } from "./Reasoning";
import { Sources } from "./Sources";
import { ToolTimeline } from "./ToolTimeline";

interface AnswerProps {
  turn: Turn;
  question: string;
  onAsk: (content: string) => void;
  onSource: (source: Source) => void;
}

/** One turn: its thinking, its tools and its words in the order in which they came. */
export function Answer({ turn, question, onAsk, onSource }: AnswerProps) {
  const agent = useAgentName();
  const over = isOver(turn);
  const sections = sectionsOf(turn.blocks);
  const last = sections.at(-1);
  return (
    <article className={styles.answer} aria-label={text.thread.agent(agent)} aria-busy={!over}>
      <p className={styles.agent} aria-hidden="true">
        {agent}
      </p>
      {sections.map((section, index) => {
        const live = !over && section === last;
        if (Array.isArray(section)) return <ToolTimeline key={index} calls={section} />;
        if (section.kind === "reasoning")
          return <Reasoning key={index} words={section.text} live={live} />;
        return (
          <Markdown
            key={index}
            words={section.text}
            live={live}
            sources={turn.sources}
            onSource={onSource}
          />
        );
      })}
      {!over && !showsLife(last) && <Working sending={turn.status === "sending"} />}
      {turn.notice && <p className={styles.notice}>{turn.notice}</p>}
      {turn.failure && (
        <AnswerFailure
          failure={turn.failure}
          onAgain={question ? () => onAsk(question) : undefined}
        />
      )}
      {turn.sources.length > 0 && over && <Sources sources={turn.sources} onOpen={onSource} />}
      {over && answerOf(turn) && <Foot turn={turn} />}
    </article>
  );
}

type Section = Exclude<Block, ToolBlock> | ToolBlock[];

/** Calls that follow one another are one list. */
function sectionsOf(blocks: readonly Block[]): Section[] {
  const sections: Section[] = [];
  for (const block of blocks) {
    const last = sections.at(-1);
    if (block.kind !== "tool") sections.push(block);
    else if (Array.isArray(last)) last.push(block);
    else sections.push([block]);
  }
  return sections;
}

/** Whether something that is shown moves by itself already. */
function showsLife(last: Section | undefined): boolean {
  if (!last) return false;
  return !Array.isArray(last) || last.some((call) => call.state === "running");
}

function useAgentName(): string {
  const name = useApp((state) => {
    const { me } = state;
    return me?.agents.find((agent) => agent.agentId === me.defaultAgentId)?.name;
  });
  return name ?? text.thread.agentName;
}

function Working({ sending }: { sending: boolean }) {
  return (
    <p className={styles.working}>
      <span className={styles.dots} aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {sending ? text.thread.queued : text.thread.working}
    </p>
  );
}

function Foot({ turn }: { turn: Turn }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(answerOf(turn));
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <footer className={styles.foot}>
      <IconButton
        icon={copied ? "check" : "copy"}
        size={16}
        label={copied ? text.thread.copied : text.thread.copy}
        onClick={() => void copy()}
      />
      {turn.totalMs !== undefined && (
        <span>{text.thread.took((turn.totalMs / 1000).toFixed(1))}</span>
      )}
    </footer>
  );
}
