import { useController } from "../app/use";
import { useAgentName } from "../app/useAgent";
import { text } from "../messages";
import type { Source } from "../state/sources";
import { isOver, type Block, type ToolBlock, type Turn } from "../state/turn";
import styles from "./Answer.module.css";
import { AnswerFailure } from "./AnswerFailure";
import { AnswerFoot } from "./AnswerFoot";
import { Markdown } from "./Markdown";
import { Reasoning } from "./Reasoning";
import { Sources } from "./Sources";
import { ToolTimeline } from "./ToolTimeline";

interface AnswerProps {
  turn: Turn;
  conversationId: string | null;
  /** Whether the question may be asked anew. */
  canRepeat: boolean;
  onSource: (source: Source) => void;
}

/** One turn: its thinking, its tools and its words in the order in which they came. */
export function Answer({ turn, conversationId, canRepeat, onSource }: AnswerProps) {
  const { chat } = useController();
  const agent = useAgentName(conversationId);
  const over = isOver(turn);
  const sections = sectionsOf(turn.blocks);
  const last = sections.at(-1);
  const again =
    canRepeat && conversationId ? () => void chat.again(conversationId, turn.key) : undefined;
  return (
    <article className={styles.answer} aria-label={text.thread.agent(agent)} aria-busy={!over}>
      <p className={styles.agent} aria-hidden="true">
        {agent}
      </p>
      {sections.map((section, index) => {
        const live = !over && section === last;
        if (Array.isArray(section)) return <ToolTimeline key={index} calls={section} />;
        if (section.kind === "reasoning")
          return <Reasoning key={index} thoughts={section} live={live} />;
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
      {!over && !showsLife(last) && <Working turn={turn} />}
      {turn.notice && <p className={styles.notice}>{turn.notice}</p>}
      {turn.failure && (
        <AnswerFailure conversationId={conversationId} turn={turn} onAgain={again} />
      )}
      {turn.sources.length > 0 && over && <Sources sources={turn.sources} onOpen={onSource} />}
      {over && conversationId && (
        <AnswerFoot
          turn={turn}
          conversationId={conversationId}
          onAgain={turn.failure ? undefined : again}
        />
      )}
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

function Working({ turn: { status, doing } }: { turn: Turn }) {
  const words = text.thread.doing[doing ?? ""] ?? text.thread.working;
  return (
    <p className={styles.working}>
      <span className={styles.dots} aria-hidden="true">
        <i />
        <i />
        <i />
      </span>
      {status === "sending" ? text.thread.queued : words}
    </p>
  );
}
