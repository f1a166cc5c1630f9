import { useState } from "react";
import { text } from "../messages";
import { isUnkept } from "../state/list";
import { answerOf, type Turn } from "../state/turn";
import { IconButton } from "../ui/Button";
import styles from "./Answer.module.css";
import { Comment, useOpinion } from "./Opinion";
import { WhatHappened } from "./WhatHappened";

interface FootProps {
  turn: Turn;
  conversationId: string;
  onAgain: (() => void) | undefined;
}

/** What can be done with an answer that is there. */
export function AnswerFoot({ turn, conversationId, onAgain }: FootProps) {
  const [told, setTold] = useState(false);
  const opinion = useOpinion({ conversationId, messageId: turn.turnId }, turn.feedback);
  const answered = answerOf(turn) !== "";
  return (
    <>
      <footer className={styles.foot}>
        {answered && <CopyButton turn={turn} />}
        {onAgain && (
          <IconButton icon="again" size={16} label={text.thread.repeat} onClick={onAgain} />
        )}
        {turn.turnId && answered && !isUnkept(conversationId) && (
          <>
            <IconButton
              icon="good"
              size={16}
              label={text.feedback.good}
              aria-pressed={opinion.rating >= 4}
              onClick={() => void opinion.rate(5)}
            />
            <IconButton
              icon="bad"
              size={16}
              label={text.feedback.bad}
              aria-pressed={opinion.rating > 0 && opinion.rating <= 2}
              onClick={() => void opinion.rate(1)}
            />
          </>
        )}
        {turn.turnId && (
          <IconButton
            icon="list"
            size={16}
            label={text.happened.label}
            aria-expanded={told}
            onClick={() => setTold(!told)}
          />
        )}
        {turn.totalMs !== undefined && (
          <span>{text.thread.took((turn.totalMs / 1000).toFixed(1))}</span>
        )}
      </footer>
      {opinion.asking && <Comment opinion={opinion} />}
      {told && turn.turnId && <WhatHappened turnId={turn.turnId} />}
    </>
  );
}

function CopyButton({ turn }: { turn: Turn }) {
  const [copied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(answerOf(turn));
    setCopied(true);
    setTimeout(() => setCopied(false), 1_500);
  };
  return (
    <IconButton
      icon={copied ? "check" : "copy"}
      size={16}
      label={copied ? text.thread.copied : text.thread.copy}
      onClick={() => void copy()}
    />
  );
}
