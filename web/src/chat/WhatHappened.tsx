import { useCallback, useEffect, useState } from "react";
import { useController } from "../app/use";
import { failureOf, type Failure } from "../client/failure";
import { text } from "../messages";
import type { Timeline, TimelineEntry } from "../protocol";
import { sourcesOf } from "../state/sources";
import { Button } from "../ui/Button";
import { Problem } from "../ui/Problem";
import { Skeleton } from "../ui/Skeleton";
import { nameOf } from "./ToolTimeline";
import styles from "./WhatHappened.module.css";

/** A turn, step by step, with its times. */
export function WhatHappened({ turnId }: { turnId: string }) {
  const { timeline, failure, again } = useTimeline(turnId);
  return (
    <section className={styles.happened} aria-label={text.happened.label}>
      <h2>{text.happened.label}</h2>
      {failure && (
        <Problem title={text.happened.failed} failure={failure}>
          <Button icon="again" onClick={again}>
            {text.happened.again}
          </Button>
        </Problem>
      )}
      {!timeline && !failure && <Skeleton widths={[50, 70, 60]} label={text.happened.loading} />}
      {timeline?.model && <p className={styles.model}>{text.happened.by(timeline.model)}</p>}
      {timeline && (
        <ol>
          {timeline.entries.map((entry, index) => (
            <Step key={index} entry={entry} />
          ))}
        </ol>
      )}
    </section>
  );
}

function useTimeline(turnId: string) {
  const { opinions } = useController();
  const [timeline, setTimeline] = useState<Timeline>();
  const [failure, setFailure] = useState<Failure>();
  const load = useCallback(() => {
    opinions.timeline(turnId).then(setTimeline, (error: unknown) => setFailure(failureOf(error)));
  }, [opinions, turnId]);
  useEffect(load, [load]);
  const again = () => {
    setFailure(undefined);
    load();
  };
  return { timeline, failure, again };
}

function Step({ entry }: { entry: TimelineEntry }) {
  const { at, ms, success, kind } = entry;
  const failed = success === false || entry.status === "FAILED";
  return (
    <li data-kind={kind} data-failed={failed}>
      <time dateTime={at ?? undefined}>{at && clock(at)}</time>
      <p>
        <strong>{titleOf(entry)}</strong>
        {success === false && ` ${text.happened.failedCall}`}
        {ms != null && <span className={styles.took}>{text.tools.took(ms)}</span>}
        {detailOf(entry) && <span className={styles.detail}>{detailOf(entry)}</span>}
      </p>
    </li>
  );
}

function titleOf({ kind, toolName, status }: TimelineEntry): string {
  if (kind === "status") return text.happened.status[status ?? ""] ?? status ?? "";
  const verb = text.happened.kind[kind] ?? kind;
  return toolName ? `${verb} ${nameOf(toolName).toLowerCase()}` : verb;
}

function detailOf(entry: TimelineEntry): string {
  if (entry.sources) {
    return [...new Set(sourcesOf(entry.sources).map((source) => source.filename))].join(", ");
  }
  const { input } = entry;
  if (input && Object.keys(input).length > 0) return JSON.stringify(input);
  return entry.text?.trim() ?? "";
}

const clock = (at: string): string =>
  new Date(at).toLocaleTimeString("en", {
    hour: "2-digit",
    minute: "2-digit",
    second: "2-digit",
    hour12: false,
  });
