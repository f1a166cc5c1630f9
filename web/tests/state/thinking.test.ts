import { expect, test } from "vitest";
import type { StoredMessage, TurnEvent } from "../../src/protocol";
import { itemsOf } from "../../src/state/rows";
import { applyEvent, newTurn, type Turn } from "../../src/state/turn";
import { after, base, call, result, say, think } from "./events";

test("what a tool thinks is shown with that tool, also where tools think side by side", () => {
  const thought = (toolCallId: string, delta: string, chunkIndex = 1): TurnEvent => ({
    ...base,
    type: "ChatReasoningChunk",
    delta,
    chunkIndex,
    toolCallId,
  });
  const other = { ...call, toolCallId: "c2" } as TurnEvent;
  const turn = after(
    think("agent", 0),
    call,
    other,
    thought("c1", "a", 0),
    thought("c2", "x", 0),
    thought("c1", "b"),
  );
  expect(turn.blocks).toMatchObject([
    { kind: "reasoning", text: "agent" },
    { id: "c1", thoughts: { text: "ab" } },
    { id: "c2", thoughts: { text: "x" } },
  ]);
});

test("thinking takes from its first piece to what comes next", () => {
  const events: [TurnEvent, number][] = [
    [think("a", 0), 1_000],
    [think("b", 1), 2_000],
    [say("x"), 4_000],
  ];
  const turn = events.reduce((now, [event, at]) => applyEvent(now, event, at), newTurn("m"));
  expect(turn.blocks[0]).toMatchObject({ text: "ab", from: 1_000, to: 4_000 });
});

test("an answer that starts again forgets what it thought since the last tool", () => {
  const retrying: TurnEvent = { ...base, type: "ChatProcessing", status: "retrying", message: "" };
  const turn = after(think("a", 0), call, result(true), think("b", 0), retrying);
  expect(turn.blocks.map((block) => block.kind)).toEqual(["reasoning", "tool"]);
  expect(turn.doing).toBe("retrying");
});

test("what a tool thought is stored with its call", () => {
  const row = {
    messageId: "t",
    role: "ASSISTANT",
    status: "COMPLETED",
    content: "",
    createdAt: "",
    contentSegments: [
      { type: "reasoning", hop: 1, text: "agent" },
      { type: "tool_call", hop: 1, toolCallId: "c1" },
      { type: "reasoning", hop: 1, text: "tool", toolCallId: "c1" },
    ],
    toolCalls: [
      {
        toolCallId: "c1",
        toolName: "get_me",
        toolType: null,
        input: {},
        hop: 1,
        status: "COMPLETED",
      },
    ],
  };
  const [turn] = itemsOf([row as StoredMessage]) as [Turn];
  expect(turn.blocks).toMatchObject([
    { kind: "reasoning", text: "agent" },
    { id: "c1", thoughts: { text: "tool" } },
  ]);
});
