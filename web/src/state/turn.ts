import type { Failure } from "../client/failure";
import type { ChatComplete, TurnEvent } from "../protocol";
import { sourcesOf, type Source } from "./sources";

export type ToolState = "running" | "done" | "failed";

export interface ToolBlock {
  kind: "tool";
  id: string;
  name: string;
  input: unknown;
  state: ToolState;
  output?: unknown;
  ms?: number;
  truncated?: boolean;
}

export type Block =
  { kind: "text"; text: string } | { kind: "reasoning"; text: string; hop: number } | ToolBlock;

export type TurnStatus = "sending" | "running" | "done" | "failed";

/** An answer as it is shown: what came, in the order in which it came. */
export interface Turn {
  kind: "turn";
  /** The id of the user's message, or the turn's own where that is not known. */
  key: string;
  turnId?: string;
  status: TurnStatus;
  blocks: Block[];
  sources: Source[];
  failure?: Failure;
  notice?: string;
  totalMs?: number;
  tokens?: number;
  /** What is shown may lack something that the stored turn has. */
  stale?: boolean;
}

export function newTurn(key: string, turnId?: string): Turn {
  const started: Turn = { kind: "turn", key, status: "sending", blocks: [], sources: [] };
  return turnId ? { ...started, turnId, status: "running" } : started;
}

export const isOver = (turn: Turn): boolean => turn.status === "done" || turn.status === "failed";

export const answerOf = (turn: Turn): string =>
  turn.blocks.map((block) => (block.kind === "text" ? block.text : "")).join("");

/** Apply one event, in order. */
export function applyEvent(turn: Turn, event: TurnEvent): Turn {
  switch (event.type) {
    case "ChatProcessing":
      return { ...turn, status: "running", turnId: event.turnId };
    case "ChatChunk":
      return { ...turn, blocks: appendText(turn.blocks, event.delta) };
    case "ChatReasoningChunk":
      return { ...turn, blocks: appendReasoning(turn.blocks, event.delta, event.chunkIndex) };
    case "ChatToolCall":
      return { ...turn, blocks: [...turn.blocks, toolOf(event)] };
    case "ChatToolResult":
      return { ...turn, blocks: turn.blocks.map((block) => withResult(block, event)) };
    case "ChatSources":
      return { ...turn, sources: merged(turn.sources, sourcesOf(event.sources)) };
    case "ChatComplete":
      return complete(turn, event);
    case "ChatError":
      return {
        ...endTools(turn),
        status: "failed",
        failure: { code: event.code, message: event.message, hint: event.recoveryHint },
        ...(event.content !== "" && event.content !== answerOf(turn) && { stale: true }),
      };
    case "ChatSkipped":
      return { ...turn, stale: true };
    case "ChatContextLoaded":
      return turn;
  }
}

function appendText(blocks: Block[], delta: string): Block[] {
  const last = blocks.at(-1);
  if (last?.kind !== "text") return [...blocks, { kind: "text", text: delta }];
  return [...blocks.slice(0, -1), { ...last, text: last.text + delta }];
}

/** A pass of thinking is one block; index 0 begins another. */
function appendReasoning(blocks: Block[], delta: string, index: number): Block[] {
  const last = blocks.at(-1);
  if (last?.kind !== "reasoning" || index === 0) {
    const hop = blocks.filter((block) => block.kind === "reasoning").length + 1;
    return [...blocks, { kind: "reasoning", text: delta, hop }];
  }
  return [...blocks.slice(0, -1), { ...last, text: last.text + delta }];
}

function toolOf(event: Extract<TurnEvent, { type: "ChatToolCall" }>): ToolBlock {
  const { toolCallId, toolName, inputData } = event;
  return { kind: "tool", id: toolCallId, name: toolName, input: inputData, state: "running" };
}

function withResult(block: Block, event: Extract<TurnEvent, { type: "ChatToolResult" }>): Block {
  if (block.kind !== "tool" || block.id !== event.toolCallId) return block;
  return {
    ...block,
    state: event.success ? "done" : "failed",
    output: event.output,
    ms: event.executionTimeMs,
    truncated: event.truncated,
  };
}

function complete(turn: Turn, event: ChatComplete): Turn {
  const differs = event.contentTruncated || event.content !== answerOf(turn);
  return {
    ...endTools(turn),
    status: "done",
    sources: merged(turn.sources, sourcesOf(event.sources)),
    totalMs: event.totalTimeMs,
    tokens: event.inputTokens + event.outputTokens,
    ...(event.notice && { notice: event.notice }),
    ...((turn.stale ?? differs) && { stale: true }),
  };
}

/** No tool runs on after its turn. */
function endTools(turn: Turn): Turn {
  const blocks = turn.blocks.map((block): Block =>
    block.kind === "tool" && block.state === "running" ? { ...block, state: "failed" } : block,
  );
  return { ...turn, blocks };
}

function merged(known: Source[], found: Source[]): Source[] {
  const byNumber = new Map([...known, ...found].map((source) => [source.n, source]));
  return [...byNumber.values()].sort((a, b) => a.n - b.n);
}
