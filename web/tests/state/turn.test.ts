import { expect, test } from "vitest";
import type { StoredMessage, TurnEvent } from "../../src/protocol";
import { itemsOf } from "../../src/state/rows";
import { answerOf, type Turn } from "../../src/state/turn";
import { after, base, call, complete, failed, result, say, think } from "./events";

test("each pass of thinking is a block of its own, its pieces are joined", () => {
  const turn = after(think("a", 0), think("b", 1), call, think("c", 0), think("d", 1), say("x"));
  expect(turn.blocks).toMatchObject([
    { kind: "reasoning", text: "ab" },
    { kind: "tool", id: "c1" },
    { kind: "reasoning", text: "cd" },
    { kind: "text", text: "x" },
  ]);
});

test("a tool runs until its result says how it ended", () => {
  expect(after(call).blocks).toMatchObject([{ state: "running" }]);
  expect(after(call, result(true)).blocks).toMatchObject([{ state: "done", output: "out", ms: 5 }]);
  expect(after(call, result(false)).blocks).toMatchObject([{ state: "failed" }]);
  expect(after(call, failed).blocks).toMatchObject([{ state: "failed" }]);
});

test("an answer that lost words is known to be stale, a whole one is not", () => {
  expect(after(say("Hel"), say("lo"), complete("Hello")).stale).toBeUndefined();
  expect(after(say("Hel"), complete("Hello")).stale).toBe(true);
  expect(after(say("Hello"), complete("", { contentTruncated: true })).stale).toBe(true);
  expect(after({ ...base, type: "ChatSkipped" }, say("Hello"), complete("Hello")).stale).toBe(true);
});

test("sources are kept by number, whoever names them last", () => {
  const source = (n: number, filename: string) => ({ n, filename, documentId: "d", snippet: "s" });
  const found: TurnEvent = { ...base, type: "ChatSources", sources: [source(2, "b")] };
  const turn = after(
    found,
    complete("", { sources: [source(1, "a"), source(2, "B"), { n: "x" }] }),
  );
  expect(turn.sources.map((each) => [each.n, each.filename])).toEqual([
    [1, "a"],
    [2, "B"],
  ]);
});

test("a stored turn is shown as it was when it came", () => {
  const row: StoredMessage = {
    messageId: "t",
    role: "ASSISTANT",
    status: "COMPLETED",
    content: "One.\n\nTwo.",
    createdAt: "2026-01-01T00:00:00Z",
    turnId: "t",
    contentSegments: [
      { type: "reasoning", hop: 1, text: "a" },
      { type: "text", hop: 1, text: "One." },
      { type: "tool_call", hop: 1, toolCallId: "c1" },
      { type: "reasoning", hop: 2, text: "b" },
      { type: "text", hop: 2, text: "Two." },
    ],
    toolCalls: [
      {
        toolCallId: "c1",
        toolName: "get_me",
        toolType: "GET_ME",
        input: {},
        hop: 1,
        status: "COMPLETED",
        success: true,
        output: "out",
        executionTimeMs: 5,
      },
    ],
    totalTimeMs: 1500,
  };
  const live = after(
    think("a", 0),
    say("One."),
    call,
    result(true),
    think("b", 0),
    say("\n\nTwo."),
  );
  const [stored] = itemsOf([row]) as [Turn];
  expect(stored.blocks.map((block) => block.kind)).toEqual(live.blocks.map((block) => block.kind));
  expect(answerOf(stored)).toBe(row.content);
  expect(answerOf(live)).toBe(row.content);
});

test("a stored turn that still runs comes empty, for its events to tell", () => {
  const row = {
    messageId: "t",
    role: "ASSISTANT",
    status: "STREAMING",
    content: "Half",
    createdAt: "",
  };
  expect(itemsOf([row as StoredMessage])).toMatchObject([{ status: "running", blocks: [] }]);
});
