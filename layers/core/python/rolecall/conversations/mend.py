"""A stored answer made whole again: whatever its JSON holds, what was said stays, and each call has its result.

Rows get damaged by crashes between two writes, by older releases and by hand. A sound row comes back as it is.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final
from uuid import UUID

from rolecall.conversations.models import Message, MessageStatus, Role
from rolecall.llm.text import is_blank
from rolecall.llm.tool_results import json_safe, unique_call_id

ToolOutputs = Mapping[tuple[UUID, str], tuple[str, bool]]
"""(turn, call id) → (output, success): the flat TOOL rows, for calls whose output is not in the row."""
Entry = dict[str, Any]

INTERRUPTED: Final = "The call was interrupted; whether it took effect is not known."
UNNAMED: Final = "unknown_tool"
_OTHER_NAMES: Final = {
    "toolCallId": ("toolUseId", "tool_call_id", "id"),
    "toolName": ("tool_name", "name"),
    "input": ("arguments", "args"),
    "output": ("result",),
}


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
        call = _call(entry, number)
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


def _call(entry: Entry, number: int) -> Entry:
    if _is_sound_call(entry):
        return entry
    call = dict(entry)
    for name, others in _OTHER_NAMES.items():
        found = next((other for other in others if other in call), None)
        if name not in call and found is not None:
            call[name] = call.pop(found)
    call["toolCallId"] = _text(call.get("toolCallId")) or f"call-{number}"
    call["toolName"] = _text(call.get("toolName")) or UNNAMED
    call["input"] = _arguments(call.get("input"))
    if "success" in call and not isinstance(call["success"], bool):
        success = call.pop("success")
        if success is not None:
            call["success"] = str(success).lower() in ("true", "1", "success")
    if not _is_hop(call.get("hop", 1)):
        del call["hop"]
    return call


def _is_sound_call(entry: Entry) -> bool:
    call_id, name = entry.get("toolCallId"), entry.get("toolName")
    return (
        isinstance(call_id, str)
        and bool(call_id)
        and isinstance(name, str)
        and bool(name)
        and isinstance(entry.get("input"), dict)
        and isinstance(entry.get("success", True), bool)
        and _is_hop(entry.get("hop", 1))
    )


def _answered(row: Message, call: Entry, outputs: ToolOutputs) -> Entry:
    """A call of an ended turn has ended: as its flat row says, or else it was interrupted."""
    if "success" in call or call.get("status") == MessageStatus.AWAITING_APPROVAL:
        return call
    output, success = outputs.get((row.id, call["toolCallId"]), (INTERRUPTED, False))
    return {**call, "status": "SUCCEEDED" if success else "FAILED", "success": success, "output": output}


def _segments(row: Message, calls: Sequence[Entry], *, live: bool) -> list[Entry]:
    unplaced = {call["toolCallId"]: call for call in calls}
    segments: list[Entry] = []
    for segment in _sound_segments(row.content_segments):
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


def _sound_segments(given: Sequence[Any]) -> Iterator[Entry]:
    hop = 1
    for item in given:
        segment = _segment(item, hop)
        if segment is not None:
            hop = segment["hop"]
            yield segment


def _segment(given: Any, hop: int) -> Entry | None:
    """One segment, in the hop that it names or else in that of the one before; None where it says nothing."""
    if isinstance(given, str):
        return {"type": "text", "text": given, "hop": hop}
    if not isinstance(given, dict):
        return None
    segment = given if _is_hop(given.get("hop")) else {**given, "hop": _number(given.get("hop")) or hop}
    match given.get("type"):
        case "text":
            return _with_text(segment)
        case "reasoning":
            return _reasoning(segment)
        case "tool_call":
            return _tool_call(segment)
    text = given.get("text", given.get("content"))
    if isinstance(text, str) and not is_blank(text):
        return {"type": "text", "text": text, "hop": segment["hop"]}
    return segment if isinstance(given.get("type"), str) else None


def _with_text(segment: Entry) -> Entry | None:
    if isinstance(segment.get("text"), str):
        return segment
    text = _text(segment.get("text", segment.get("content")))
    return {"type": "text", "text": text, "hop": segment["hop"]} if text else None


def _reasoning(segment: Entry) -> Entry:
    odd = [name for name in ("text", "signature", "redacted") if not isinstance(segment.get(name, ""), str)]
    if not odd and "text" in segment:
        return segment
    return {"text": "", **{name: value for name, value in segment.items() if name not in odd}}


def _tool_call(segment: Entry) -> Entry | None:
    call_id = segment.get("toolCallId")
    if isinstance(call_id, str):
        return segment
    known = next((segment[name] for name in _OTHER_NAMES["toolCallId"] if name in segment), call_id)
    named = _text(known)
    return {"type": "tool_call", "toolCallId": named, "hop": segment["hop"]} if named else None


def _said(segments: Sequence[Entry]) -> str:
    by_hop: dict[int, str] = {}
    for segment in segments:
        if segment.get("type") == "text":
            by_hop[segment["hop"]] = by_hop.get(segment["hop"], "") + segment["text"]
    return "\n\n".join(text for _, text in sorted(by_hop.items()))


def _arguments(given: Any) -> Entry:
    if isinstance(given, str):
        try:
            given = json.loads(given)
        except (ValueError, RecursionError):
            return {"value": given}
    whole: Entry = json_safe(given if isinstance(given, dict) else {} if given is None else {"value": given})
    return whole


def _text(given: Any) -> str:
    if isinstance(given, str):
        return given
    return str(given) if isinstance(given, (int, float)) and not isinstance(given, bool) else ""


def _is_hop(given: Any) -> bool:
    return isinstance(given, int) and not isinstance(given, bool) and given >= 1


def _number(given: Any) -> int | None:
    return (
        int(given)
        if isinstance(given, str) and given.isascii() and given.isdigit() and 0 < len(given) < 6 and int(given)
        else None
    )
