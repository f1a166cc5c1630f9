"""Stored rows → the messages of a Converse request. What can be stored can be replayed.

Invariants (Bedrock refuses the whole request otherwise): the first message is the user's; roles alternate;
every toolUse is answered in the next message, all results of a hop in one message, errors marked; no blank
text; nothing orphaned; ids of calls are unique, so those of older turns carry their turn's. An unanswered
call gets a synthetic result, so what the assistant said stays.
"""

from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from rolecall.conversations.attachments.mention import mention, refused_until
from rolecall.conversations.models import Message, MessageStatus, Role
from rolecall.llm.text import is_blank
from rolecall.llm.tool_results import legal_call_id, legal_tool_name, result_block
from rolecall.llm.types import ContentBlock
from rolecall.llm.types import Message as WireMessage

ToolOutputs = Mapping[tuple[UUID, str], tuple[str, bool]]
"""(turn, call id) → (output, success): the flat TOOL rows, for calls whose output is not in the row."""

INTERRUPTED: Final = "The call was interrupted; whether it took effect is not known."
NOT_DECIDED: Final = "Not decided yet: a person has to approve this call first."
HEARTBEAT_MARK: Final = "(scheduled wake-up)"


def messages_of(rows: Sequence[Message], outputs: ToolOutputs | None = None) -> list[WireMessage]:
    """Rebuild the messages of finished turns, oldest first.

    A leading answer without its question is dropped (a trimmed window); neighbours of one role are merged.
    The running turn's own row is not among `rows`.
    """
    told: list[WireMessage] = []
    refused = refused_until(rows)
    for at, row in enumerate(rows):
        messages = list(_of_row(row, outputs or {}, files_gone=at < refused))
        if told or (messages and messages[0]["role"] == "user"):
            told += messages
    return joined(told)


def turn_messages(row: Message, outputs: ToolOutputs | None = None) -> list[WireMessage]:
    """Rebuild what a turn's ASSISTANT row holds so far: one assistant and one user message a tool round.

    Unlike the replay of older turns it keeps reasoning, with its signature: within a tool loop a reasoning
    model needs it back.
    """
    return list(_hops(row, outputs or {}, current=True))


def said_in(row: Message, *, files_gone: bool = False) -> list[ContentBlock]:
    """Rebuild what a USER row says: a mention of its files, then its words; none for an empty one."""
    text: list[ContentBlock] = [] if is_blank(row.content) else [{"text": row.content}]
    return [*mention(row.attachments, gone=files_gone), *text]


def _of_row(row: Message, outputs: ToolOutputs, *, files_gone: bool) -> Iterable[WireMessage]:
    if row.role == Role.USER:
        if content := said_in(row, files_gone=files_gone):
            yield {"role": "user", "content": content}
        return
    if row.role != Role.ASSISTANT:
        return
    if row.origin == "heartbeat":
        yield {"role": "user", "content": [{"text": HEARTBEAT_MARK}]}
    yield from _hops(row, outputs, current=False)


def _hops(row: Message, outputs: ToolOutputs, *, current: bool) -> Iterable[WireMessage]:
    segments = row.content_segments or ([{"type": "text", "text": row.content}] if row.content else [])
    calls = {call["toolCallId"]: call for call in row.tool_calls if call.get("toolCallId")}
    for hop in sorted({segment.get("hop", 1) for segment in segments}):
        here = [segment for segment in segments if segment.get("hop", 1) == hop]
        content, results = _one_hop(row, here, calls, outputs, current=current)
        if content:
            yield {"role": "assistant", "content": content}
        if results:
            yield {"role": "user", "content": results}


def _one_hop(
    row: Message,
    segments: Iterable[Mapping[str, Any]],
    calls: Mapping[str, Mapping[str, Any]],
    outputs: ToolOutputs,
    *,
    current: bool,
) -> tuple[list[ContentBlock], list[ContentBlock]]:
    content: list[ContentBlock] = []
    results: list[ContentBlock] = []
    for segment in segments:
        kind = segment.get("type")
        if kind == "text" and not is_blank(segment.get("text", "")):
            content.append({"text": segment["text"].rstrip()})
        elif kind == "reasoning" and current and (block := _reasoning(segment)):
            content.append(block)
        elif kind == "tool_call" and segment.get("toolCallId") in calls:
            call = calls[segment["toolCallId"]]
            wire_id = call["toolCallId"] if current else f"{row.id.hex[:12]}-{call['toolCallId']}"
            content.append(_tool_use(call, legal_call_id(wire_id)))
            results.append(_tool_result(row, call, outputs, legal_call_id(wire_id)))
    only_reasoning = all("reasoningContent" in block for block in content)
    return ([] if only_reasoning else content), results


def _reasoning(segment: Mapping[str, Any]) -> ContentBlock | None:
    if segment.get("redacted"):
        return {"reasoningContent": {"redactedContent": b64decode(segment["redacted"])}}
    if segment.get("signature") and not is_blank(segment.get("text", "")):
        return {"reasoningContent": {"reasoningText": {"text": segment["text"], "signature": segment["signature"]}}}
    return None


def _tool_use(call: Mapping[str, Any], wire_id: str) -> ContentBlock:
    arguments = call.get("input")
    return {
        "toolUse": {
            "toolUseId": wire_id,
            "name": legal_tool_name(call.get("toolName", "")),
            "input": arguments if isinstance(arguments, dict) else {},
        }
    }


def _tool_result(row: Message, call: Mapping[str, Any], outputs: ToolOutputs, wire_id: str) -> ContentBlock:
    if "success" in call:
        return result_block(wire_id, call.get("output"), ok=bool(call["success"]))
    if flat := outputs.get((row.id, call["toolCallId"])):
        return result_block(wire_id, flat[0], ok=flat[1])
    if row.status == MessageStatus.AWAITING_APPROVAL or call.get("status") == "AWAITING_APPROVAL":
        return result_block(wire_id, NOT_DECIDED, ok=True)
    return result_block(wire_id, INTERRUPTED, ok=False)


def joined(messages: Iterable[WireMessage]) -> list[WireMessage]:
    """Merge neighbours of one role, so that roles alternate; results come before words."""
    merged: list[WireMessage] = []
    for message in messages:
        if merged and merged[-1]["role"] == message["role"]:
            content = [*merged[-1]["content"], *message["content"]]
            merged[-1] = {"role": message["role"], "content": content}
        else:
            merged.append(message)
    return merged
