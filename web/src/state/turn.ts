import type { Failure } from "../client/failure";
import type {
  ChatComplete,
  ChatProcessing,
  ChatReasoningChunk,
  ChatToolResult,
  Feedback,
  TurnEvent,
} from "../protocol";
import { sourcesOf, type Source } from "./sources";

export type ToolState = "running" | "done" | "failed";

/** A pass of thinking, and when it began and ended for whoever watched it (ms). */
export interface Thoughts {
  text: string;
  from?: number;
  to?: number;
}

export interface ToolBlock {
  kind: "tool";
  id: string;
  name: string;
  input: unknown;
  state: ToolState;
  output?: unknown;
  ms?: number;
  truncated?: boolean;
  /** What the tool itself thought. */
  thoughts?: Thoughts;
}

export interface ReasoningBlock extends Thoughts {
  kind: "reasoning";
  hop: number;
}

export type Block = { kind: "text"; text: string } | ReasoningBlock | ToolBlock;

export type TurnStatus = "sending" | "running" | "done" | "failed";

/** An answer as it is shown: what came, in the order in which it came. */
export interface Turn {
  kind: "turn";
  /** The id of the user's message, or the turn's own where that is not known. */
  key: string;
  turnId?: string;
  status: TurnStatus;
  /** What the service does before the first word, as it says itself. */
  doing?: string;
  blocks: Block[];
  sources: Source[];
  failure?: Failure;
  notice?: string;
  totalMs?: number;
  tokens?: number;
  feedback?: Feedback;
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

/** Apply one event, in order. `at`: when it came, in ms. */
export function applyEvent(turn: Turn, event: TurnEvent, at?: number): Turn {
  switch (event.type) {
    case "ChatProcessing":
      return processing(turn, event);
    case "ChatChunk":
      return { ...turn, blocks: appendText(closed(turn.blocks, at), event.delta) };
    case "ChatReasoningChunk":
      return { ...turn, blocks: withThought(turn.blocks, event, at) };
    case "ChatToolCall":
      return { ...turn, blocks: [...closed(turn.blocks, at), toolOf(event)] };
    case "ChatToolResult":
      return { ...turn, blocks: turn.blocks.map((block) => withResult(block, event, at)) };
    case "ChatSources":
      return { ...turn, sources: merged(turn.sources, sourcesOf(event.sources)) };
    case "ChatComplete":
      return complete(turn, event, at);
    case "ChatError":
      return {
        ...ended(turn, at),
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

function processing(turn: Turn, event: ChatProcessing): Turn {
  const { turnId, status: doing } = event;
  const running: Turn = { ...turn, status: "running", turnId, doing };
  return doing === "retrying" ? { ...running, blocks: unthought(turn.blocks) } : running;
}

/** The model begins again: what it thought since the last tool is void. */
function unthought(blocks: Block[]): Block[] {
  const from = blocks.findLastIndex((block) => block.kind === "tool") + 1;
  return blocks.filter((block, index) => index < from || block.kind !== "reasoning");
}

function appendText(blocks: Block[], delta: string): Block[] {
  const last = blocks.at(-1);
  if (last?.kind !== "text") return [...blocks, { kind: "text", text: delta }];
  return [...blocks.slice(0, -1), { ...last, text: last.text + delta }];
}

/** Thinking belongs to the tool that it names, or to the agent. */
function withThought(blocks: Block[], event: ChatReasoningChunk, at?: number): Block[] {
  const { delta, chunkIndex, toolCallId } = event;
  const thinks = (block: Block): block is ToolBlock =>
    block.kind === "tool" && block.id === toolCallId;
  if (!blocks.some(thinks)) return appendReasoning(blocks, delta, chunkIndex, at);
  return blocks.map((block) => {
    if (!thinks(block)) return block;
    const known = block.thoughts;
    const apart = known && chunkIndex === 0 ? "\n\n" : "";
    const words = (known?.text ?? "") + apart + delta;
    return { ...block, thoughts: { ...(known ?? since(at)), text: words } };
  });
}

/** A pass of thinking is one block; index 0 begins another. */
function appendReasoning(blocks: Block[], delta: string, index: number, at?: number): Block[] {
  const last = blocks.at(-1);
  if (last?.kind !== "reasoning" || index === 0) {
    const hop = blocks.filter((block) => block.kind === "reasoning").length + 1;
    return [...closed(blocks, at), { kind: "reasoning", text: delta, hop, ...since(at) }];
  }
  return [...blocks.slice(0, -1), { ...last, text: last.text + delta }];
}

const since = (at?: number) => (at === undefined ? {} : { from: at });
const until = (at?: number) => (at === undefined ? {} : { to: at });

/** What comes now ends the thinking before it. */
function closed(blocks: Block[], at?: number): Block[] {
  const last = blocks.at(-1);
  if (last?.kind !== "reasoning" || last.to !== undefined) return blocks;
  return [...blocks.slice(0, -1), { ...last, ...until(at) }];
}

function toolOf(event: Extract<TurnEvent, { type: "ChatToolCall" }>): ToolBlock {
  const { toolCallId, toolName, inputData } = event;
  return { kind: "tool", id: toolCallId, name: toolName, input: inputData, state: "running" };
}

function withResult(block: Block, event: ChatToolResult, at?: number): Block {
  if (block.kind !== "tool" || block.id !== event.toolCallId) return block;
  return {
    ...block,
    state: event.success ? "done" : "failed",
    output: event.output,
    ms: event.executionTimeMs,
    truncated: event.truncated,
    ...(block.thoughts && { thoughts: { ...until(at), ...block.thoughts } }),
  };
}

function complete(turn: Turn, event: ChatComplete, at?: number): Turn {
  const differs = event.contentTruncated || event.content !== answerOf(turn);
  return {
    ...ended(turn, at),
    status: "done",
    sources: merged(turn.sources, sourcesOf(event.sources)),
    totalMs: event.totalTimeMs,
    tokens: event.inputTokens + event.outputTokens,
    ...(event.notice && { notice: event.notice }),
    ...((turn.stale ?? differs) && { stale: true }),
  };
}

/** No tool runs on after its turn, and no thinking. */
function ended(turn: Turn, at?: number): Turn {
  const blocks = closed(turn.blocks, at).map((block): Block =>
    block.kind === "tool" && block.state === "running" ? { ...block, state: "failed" } : block,
  );
  return { ...turn, blocks };
}

function merged(known: Source[], found: Source[]): Source[] {
  const byNumber = new Map([...known, ...found].map((source) => [source.n, source]));
  return [...byNumber.values()].sort((a, b) => a.n - b.n);
}
