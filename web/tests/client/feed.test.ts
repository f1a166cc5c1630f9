import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { GAP_MS, QUIET_MS, TurnFeed } from "../../src/client/feed";
import type { TurnEvent } from "../../src/protocol";

const chunk = (seq: number): TurnEvent => ({
  type: "ChatChunk",
  turnId: "t",
  seq,
  delta: String(seq),
  chunkIndex: seq - 1,
});
const end = (seq: number): TurnEvent => ({
  type: "ChatError",
  turnId: "t",
  seq,
  code: "CANCELLED",
  message: "",
  recoveryHint: "",
  content: "",
});

function aFeed(after = 0) {
  const delivered: number[] = [];
  const resume = vi.fn();
  const feed = new TurnFeed({ after, deliver: (event) => delivered.push(event.seq), resume });
  return { feed, delivered, resume };
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("events are delivered in order, each once, whatever order they come in", () => {
  const { feed, delivered } = aFeed();
  for (const seq of [2, 1, 1, 4, 2, 3, 3]) feed.take(chunk(seq));
  expect(delivered).toEqual([1, 2, 3, 4]);
});

test("a missing number is asked for from the last one delivered, and less and less often", () => {
  const { feed, delivered, resume } = aFeed();
  feed.take(chunk(1));
  feed.take(chunk(3));
  vi.advanceTimersByTime(GAP_MS);
  expect(resume.mock.calls).toEqual([[1]]);
  vi.advanceTimersByTime(GAP_MS);
  expect(resume).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(GAP_MS);
  expect(resume).toHaveBeenCalledTimes(2);
  feed.take(chunk(2));
  expect(delivered).toEqual([1, 2, 3]);
});

test("a silent turn is asked after, until it ends", () => {
  const { feed, resume } = aFeed(5);
  vi.advanceTimersByTime(QUIET_MS);
  expect(resume.mock.calls).toEqual([[5]]);
  feed.take(end(6));
  vi.advanceTimersByTime(QUIET_MS * 10);
  expect(resume).toHaveBeenCalledTimes(1);
});

test("nothing is delivered after the end", () => {
  const { feed, delivered } = aFeed();
  feed.take(chunk(3));
  feed.take(end(2));
  feed.take(chunk(1));
  expect(delivered).toEqual([1, 2]);
});
