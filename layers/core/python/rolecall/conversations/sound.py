"""Calls and segments of a row by themselves, made of whatever JSON is there; a sound one stays the same object."""

import json
from collections.abc import Iterator, Sequence
from typing import Any, Final

from rolecall.llm.text import is_blank
from rolecall.llm.tool_results import json_safe

Entry = dict[str, Any]
UNNAMED: Final = "unknown_tool"
_OTHER_NAMES: Final = {
    "toolCallId": ("toolUseId", "tool_call_id", "id"),
    "toolName": ("tool_name", "name"),
    "input": ("arguments", "args"),
    "output": ("result",),
}


def sound_call(entry: Entry, number: int) -> Entry:
    """Return a call with an id, a name and arguments; `number` names one that has no id."""
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


def sound_segments(given: Sequence[Any]) -> Iterator[Entry]:
    """Yield segments that name their hop and hold what their type has; what says nothing goes."""
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
