"""A stored answer made whole again: whatever its JSON holds, what was said stays, and each call has its result.

Rows get damaged by crashes between two writes, by older releases and by hand. A sound row comes back as it is.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from rolecall.conversations.models import Message, MessageStatus, Role
from rolecall.conversations.sound import Entry, sound_call, sound_segments
from rolecall.llm.text import is_blank
from rolecall.llm.tool_results import unique_call_id

ToolOutputs = Mapping[tuple[UUID, str], tuple[str, bool]]
"""(turn, call id) → (output, success): the flat TOOL rows, for calls whose output is not in the row."""

INTERRUPTED: Final = "The call was interrupted; whether it took effect is not known."


def mended(row: Message, outputs: ToolOutputs | None = None, *, live: bool = False) -> Message:
    """Return an ASSISTANT row with sound segments, calls and content; other rows as they are.

    Args:
        row: as read; any JSON that the schema lets in.
        outputs: results of calls that the row itself does not hold.
        live: the turn goes on: what is blank or unanswered in it is not yet anything else.
    """
    if row.role != Role.ASSISTANT:
        return row
    calls = _calls(row.tool_calls)
    if not live and row.status != MessageStatus.AWAITING_APPROVAL:
        calls = [_answered(row, call, outputs or {}) for call in calls]
    segments = _segments(row, calls, live=live)
    content = row.content
    if is_blank(content) and not live:
        content = _said(segments)
    sources = [source for source in row.sources if isinstance(source, dict)]
    whole: dict[str, Any] = {"content": content, "content_segments": segments, "tool_calls": calls, "sources": sources}
    return row if all(getattr(row, name) == value for name, value in whole.items()) else replace(row, **whole)


def lacks_results(row: Message) -> bool:
    """Say whether a call of the row has no result in it, so that its flat TOOL rows are worth reading."""
    return any(not isinstance(call, dict) or "success" not in call for call in row.tool_calls)


def _calls(given: Sequence[Any]) -> list[Entry]:
    """Sound entries with ids of their own; the same call twice is one."""
    by_id: dict[str, Entry] = {}
    for number, entry in enumerate(given, start=1):
        if not isinstance(entry, dict):
            continue
        call = sound_call(entry, number)
        call_id = call["toolCallId"]
        known = by_id.get(call_id)
        if known is None:
            by_id[call_id] = call
        elif (known["toolName"], known["input"]) == (call["toolName"], call["input"]):
            by_id[call_id] = known if "success" in known else {**known, **call}
        else:
            call_id = unique_call_id(call_id, set(by_id))
            by_id[call_id] = {**call, "toolCallId": call_id}
    return list(by_id.values())


def _answered(row: Message, call: Entry, outputs: ToolOutputs) -> Entry:
    """A call of an ended turn has ended: as its flat row says, or else it was interrupted."""
    if "success" in call or call.get("status") == MessageStatus.AWAITING_APPROVAL:
        return call
    output, success = outputs.get((row.id, call["toolCallId"]), (INTERRUPTED, False))
    return {**call, "status": "SUCCEEDED" if success else "FAILED", "success": success, "output": output}


def _segments(row: Message, calls: Sequence[Entry], *, live: bool) -> list[Entry]:
    unplaced = {call["toolCallId"]: call for call in calls}
    segments: list[Entry] = []
    for segment in sound_segments(row.content_segments):
        kind = segment.get("type")
        if kind == "text" and is_blank(segment["text"]) and not live:
            continue
        if kind == "tool_call" and unplaced.pop(segment["toolCallId"], None) is None:
            continue
        segments.append(segment)
    for call in unplaced.values():
        hop = call.get("hop", 1)
        after = max((i for i, segment in enumerate(segments, start=1) if segment["hop"] <= hop), default=0)
        segments.insert(after, {"type": "tool_call", "toolCallId": call["toolCallId"], "hop": hop})
    if not live and not is_blank(row.content) and not any(segment.get("type") == "text" for segment in segments):
        last = max((segment["hop"] for segment in segments if segment.get("type") == "tool_call"), default=0)
        segments.append({"type": "text", "text": row.content, "hop": last + 1})
    return segments


def _said(segments: Sequence[Entry]) -> str:
    by_hop: dict[int, str] = {}
    for segment in segments:
        if segment.get("type") == "text":
            by_hop[segment["hop"]] = by_hop.get(segment["hop"], "") + segment["text"]
    return "\n\n".join(text for _, text in sorted(by_hop.items()))
