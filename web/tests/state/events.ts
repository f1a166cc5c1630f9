import type { TurnEvent } from "../../src/protocol";
import { applyEvent, newTurn, type Turn } from "../../src/state/turn";

/** Events of a turn, as they come. */
export const base = { turnId: "t", seq: 0 };
export const say = (delta: string, chunkIndex = 0): TurnEvent => ({
  ...base,
  type: "ChatChunk",
  delta,
  chunkIndex,
});
export const think = (delta: string, chunkIndex: number): TurnEvent => ({
  ...base,
  type: "ChatReasoningChunk",
  delta,
  chunkIndex,
});
export const call: TurnEvent = {
  ...base,
  type: "ChatToolCall",
  toolCallId: "c1",
  toolName: "get_me",
  toolType: "GET_ME",
  inputData: {},
};
export const result = (success: boolean): TurnEvent => ({
  ...base,
  type: "ChatToolResult",
  toolCallId: "c1",
  output: "out",
  success,
  executionTimeMs: 5,
  truncated: false,
});
export const complete = (content: string, more: object = {}): TurnEvent => ({
  ...base,
  type: "ChatComplete",
  messageId: "t",
  content,
  contentTruncated: false,
  stopReason: "end_turn",
  inputTokens: 1,
  outputTokens: 2,
  totalTimeMs: 1500,
  sources: [],
  ...more,
});
export const failed: TurnEvent = {
  ...base,
  type: "ChatError",
  code: "CHAT_ERROR",
  message: "Broke.",
  recoveryHint: "Again.",
  content: "",
};

export const after = (...events: TurnEvent[]): Turn => events.reduce(applyEvent, newTurn("m"));
