"""Stored rows → the messages of a Converse request. What can be stored can be replayed.

Invariants (Bedrock refuses the whole request otherwise): the first message is the user's; roles alternate;
every toolUse is answered in the next message, all results of a hop in one message, errors marked; no blank
text; nothing orphaned; ids of calls are unique, so those of older turns carry their turn's. An unanswered
call gets a synthetic result, so what the assistant said stays.
"""

from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

from rolecall.conversations.attachments.mention import mention, refused_until
from rolecall.conversations.mend import INTERRUPTED, ToolOutputs, mended
from rolecall.conversations.models import Message, MessageStatus, Role
from rolecall.llm.text import is_blank
from rolecall.llm.tool_results import json_safe, legal_call_id, legal_tool_name, result_block
from rolecall.llm.types import ContentBlock
from rolecall.llm.types import Message as WireMessage

__all__ = ["HEARTBEAT_MARK", "INTERRUPTED", "NOT_DECIDED", "joined", "messages_of", "said_in", "turn_messages"]

NOT_DECIDED: Final = "Not decided yet: a person has to approve this call first."
HEARTBEAT_MARK: Final = "(scheduled wake-up)"


def messages_of(rows: Sequence[Message], outputs: ToolOutputs | None = None) -> list[WireMessage]:
    """Rebuild the messages of finished turns, oldest first.

    A leading answer without its question is dropped (a trimmed window); neighbours of one role are merged.
    The running turn's own row is not among `rows`.
    """
    told: list[WireMessage] = []
    refused = refused_until(rows)
    for at, row in enumerate(mended(row, outputs) for row in rows):
        messages = list(_of_row(row, files_gone=at < refused))
        if told or (messages and messages[0]["role"] == "user"):
            told += messages
    return joined(told)


def turn_messages(row: Message, outputs: ToolOutputs | None = None, *, reasoner: str | None = "") -> list[WireMessage]:
    """Rebuild what a turn's ASSISTANT row holds so far: one assistant and one user message a tool round.

    Unlike the replay of older turns it keeps reasoning, with its signature: within a tool loop a reasoning
    model needs it back. A signature is good for the model that gave it, so only the `reasoner`'s own is kept.
    """
    told = _signed_by(reasoner, mended(row, outputs, live=True))
    return list(_hops(told, current=True))


def _signed_by(reasoner: str | None, row: Message) -> Message:
    """Leave out the reasoning of other models, and that of tools, which no model gets."""
    segments = [
        segment
        for segment in row.content_segments
        if segment.get("type") != "reasoning" or ("toolCallId" not in segment and segment.get("model", "") == reasoner)
    ]
    return replace(row, content_segments=segments)


def said_in(row: Message, *, files_gone: bool = False) -> list[ContentBlock]:
    """Rebuild what a USER row says: a mention of its files, then its words; none for an empty one."""
    text: list[ContentBlock] = [] if is_blank(row.content) else [{"text": row.content}]
    return [*mention(row.attachments, gone=files_gone), *text]


def _of_row(row: Message, *, files_gone: bool) -> Iterable[WireMessage]:
    if row.role == Role.USER:
        if content := said_in(row, files_gone=files_gone):
            yield {"role": "user", "content": content}
        return
    if row.role != Role.ASSISTANT:
        return
    if row.origin == "heartbeat":
        yield {"role": "user", "content": [{"text": HEARTBEAT_MARK}]}
    yield from _hops(row, current=False)


def _hops(row: Message, *, current: bool) -> Iterable[WireMessage]:
    calls = {call["toolCallId"]: call for call in row.tool_calls}
    for hop in sorted({segment["hop"] for segment in row.content_segments}):
        here = [segment for segment in row.content_segments if segment["hop"] == hop]
        content, results = _one_hop(row, here, calls, current=current)
        if content:
            yield {"role": "assistant", "content": content}
        if results:
            yield {"role": "user", "content": results}


def _one_hop(
    row: Message, segments: Iterable[Mapping[str, Any]], calls: Mapping[str, Mapping[str, Any]], *, current: bool
) -> tuple[list[ContentBlock], list[ContentBlock]]:
    content: list[ContentBlock] = []
    results: list[ContentBlock] = []
    for segment in segments:
        kind = segment.get("type")
        if kind == "text" and not is_blank(segment["text"]):
            content.append({"text": segment["text"].rstrip()})
        elif kind == "reasoning" and current and (block := _reasoning(segment)):
            content.append(block)
        elif kind == "tool_call":
            call = calls[segment["toolCallId"]]
            wire_id = call["toolCallId"] if current else f"{row.id.hex[:12]}-{call['toolCallId']}"
            content.append(_tool_use(call, legal_call_id(wire_id)))
            results.append(_tool_result(row, call, legal_call_id(wire_id)))
    only_reasoning = all("reasoningContent" in block for block in content)
    return ([] if only_reasoning else content), results


def _reasoning(segment: Mapping[str, Any]) -> ContentBlock | None:
    if segment.get("redacted"):
        with suppress(ValueError):  # damaged: the block goes, which costs no word
            return {"reasoningContent": {"redactedContent": b64decode(segment["redacted"], validate=True)}}
        return None
    if segment.get("signature") and not is_blank(segment.get("text", "")):
        return {"reasoningContent": {"reasoningText": {"text": segment["text"], "signature": segment["signature"]}}}
    return None


def _tool_use(call: Mapping[str, Any], wire_id: str) -> ContentBlock:
    return {
        "toolUse": {"toolUseId": wire_id, "name": legal_tool_name(call["toolName"]), "input": json_safe(call["input"])}
    }


def _tool_result(row: Message, call: Mapping[str, Any], wire_id: str) -> ContentBlock:
    if "success" in call:
        return result_block(wire_id, call.get("output"), ok=call["success"])
    if MessageStatus.AWAITING_APPROVAL in (row.status, call.get("status")):
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
