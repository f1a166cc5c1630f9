import { RECOVERY_HINTS, type StoredMessage, type ToolCallSummary } from "../protocol";
import { sourcesOf } from "./sources";
import type { Item } from "./thread";
import { newTurn, type Block, type ToolBlock, type Turn } from "./turn";

/** Stored messages as they are shown. A turn that still runs comes empty: its events tell all of it. */
export function itemsOf(rows: readonly StoredMessage[]): Item[] {
  let key = "";
  return rows.map((row): Item => {
    if (row.role === "USER") {
      key = row.messageId;
      return {
        kind: "user",
        id: row.messageId,
        text: row.content,
        at: row.createdAt,
        attachments: row.attachments ?? [],
      };
    }
    return turnOf(row, key || row.messageId);
  });
}

function turnOf(row: StoredMessage, key: string): Turn {
  const turn = newTurn(key, row.messageId);
  if (row.status === "STREAMING" || row.status === "AWAITING_APPROVAL") return turn;
  return {
    ...turn,
    status: row.status === "COMPLETED" ? "done" : "failed",
    blocks: blocksOf(row),
    sources: sourcesOf(row.sources),
    ...(row.totalTimeMs != null && { totalMs: row.totalTimeMs }),
    tokens: (row.inputTokens ?? 0) + (row.outputTokens ?? 0),
    ...(row.status === "FAILED" && { failure: failureOf(row) }),
    ...(row.feedback && { feedback: row.feedback }),
  };
}

function failureOf(row: StoredMessage) {
  const code = row.errorCode ?? "UNKNOWN";
  const hints: Record<string, string> = RECOVERY_HINTS;
  return { code, message: row.errorMessage ?? "", hint: hints[code] ?? "" };
}

function blocksOf(row: StoredMessage): Block[] {
  const calls = new Map((row.toolCalls ?? []).map((call) => [call.toolCallId, call]));
  const thoughts = thoughtsOfTools(row);
  const blocks: Block[] = [];
  let wordsOfHop = 0;
  let passes = 0;
  for (const segment of row.contentSegments ?? []) {
    const text = segment.text ?? "";
    if (segment.type === "tool_call") {
      const call = calls.get(segment.toolCallId ?? "");
      if (call) blocks.push(toolOf(call, thoughts.get(call.toolCallId)));
    } else if (segment.type === "reasoning") {
      if (text && !calls.has(segment.toolCallId ?? ""))
        blocks.push({ kind: "reasoning", text, hop: (passes += 1) });
    } else if (text) {
      const apart = wordsOfHop > 0 && wordsOfHop !== segment.hop ? "\n\n" : "";
      const last = blocks.at(-1);
      if (last?.kind === "text") last.text += apart + text;
      else blocks.push({ kind: "text", text: apart + text });
      wordsOfHop = segment.hop;
    }
  }
  return blocks.length > 0 || !row.content ? blocks : [{ kind: "text", text: row.content }];
}

/** What tools thought, by their calls. */
function thoughtsOfTools(row: StoredMessage): Map<string, string> {
  const thoughts = new Map<string, string>();
  for (const { type, text, toolCallId } of row.contentSegments ?? []) {
    if (type !== "reasoning" || !toolCallId || !text) continue;
    const before = thoughts.get(toolCallId);
    thoughts.set(toolCallId, before ? `${before}\n\n${text}` : text);
  }
  return thoughts;
}

function toolOf(call: ToolCallSummary, thoughts?: string): ToolBlock {
  return {
    kind: "tool",
    id: call.toolCallId,
    name: call.toolName,
    input: call.input,
    state: call.success ? "done" : "failed",
    ...(call.output !== undefined && { output: call.output }),
    ...(thoughts && { thoughts: { text: thoughts } }),
    ...(call.executionTimeMs != null && { ms: call.executionTimeMs }),
  };
}
