"""What happened in a turn, step by step, from what is stored of it."""

from collections.abc import Iterable, Iterator, Mapping
from datetime import datetime
from typing import Any, Final

from rolecall.conversations import store as conversations
from rolecall.conversations.models import Message, MessageStatus
from rolecall.errors import ErrorCode, RolecallError
from rolecall.identity import Caller
from rolecall.ids import TurnId
from rolecall.tools import store as tools
from rolecall.tools.models import CallTimes
from rolecall.turns.models import Runtime

Entry = dict[str, Any]
STARTED: Final = "The message was accepted."
ENDED: Final = {
    MessageStatus.STREAMING: "The answer is being written.",
    MessageStatus.AWAITING_APPROVAL: "The turn waits for an approval.",
    MessageStatus.COMPLETED: "The answer is complete.",
    MessageStatus.FAILED: "The answer failed.",
}


def timeline_of(runtime: Runtime, caller: Caller, turn_id: TurnId) -> dict[str, Any]:
    """Read a turn's timeline.

    Raises:
        RolecallError: CONVERSATION_NOT_FOUND, for a turn that is not there or not the caller's.
    """
    with runtime.db.transaction(caller, read_only=True) as conn:
        record = conversations.turn_record(conn, turn_id)
        times = tools.call_times(conn, turn_id)
    if record is None:
        raise RolecallError("There is no such turn.", code=ErrorCode.CONVERSATION_NOT_FOUND)
    return {
        "turnId": str(turn_id),
        "conversationId": str(record.message.conversation_id),
        "model": record.model,
        "entries": list(entries(record.message, times, ended_at=record.completed_at)),
    }


def entries(row: Message, times: Mapping[str, CallTimes], *, ended_at: datetime | None) -> Iterator[Entry]:
    """Yield the steps of a turn in the order in which they happened.

    Args:
        row: the turn's ASSISTANT row.
        times: by tool-call id, when the call ran.
        ended_at: when the turn ended; None while it goes on.
    """
    yield {"kind": "status", "status": "STARTED", "text": STARTED, "at": row.created_at.isoformat()}
    calls = {call["toolCallId"]: call for call in row.tool_calls if call.get("toolCallId")}
    steps = [step for segment in row.content_segments for step in _of_segment(segment, calls, times)]
    yield from _with_sources(steps, row.sources)
    words = row.error_message or ENDED[MessageStatus(row.status)]
    end: Entry = {"kind": "status", "status": row.status, "text": words}
    if ended_at is not None:
        end |= {"at": ended_at.isoformat(), "ms": row.total_time_ms}
    yield end


def _of_segment(
    segment: Mapping[str, Any], calls: Mapping[str, Mapping[str, Any]], times: Mapping[str, CallTimes]
) -> Iterator[Entry]:
    kind, hop = segment.get("type"), segment.get("hop", 1)
    if kind in ("text", "reasoning") and segment.get("text"):
        entry: Entry = {"kind": "text" if kind == "text" else "thought", "hop": hop, "text": segment["text"]}
        entry |= {name: segment[name] for name in ("toolCallId", "at", "ms") if segment.get(name) is not None}
        yield entry
    elif kind == "tool_call" and (call := calls.get(segment.get("toolCallId", ""))):
        yield from _of_call(call, hop, times.get(call["toolCallId"]))


def _of_call(call: Mapping[str, Any], hop: int, ran: CallTimes | None) -> Iterator[Entry]:
    named: Entry = {"hop": hop, "toolCallId": call["toolCallId"], "toolName": call.get("toolName", "")}
    began = {"at": ran.started_at.isoformat()} if ran and ran.started_at else {}
    yield {"kind": "tool_call", **named, "input": call.get("input") or {}, "status": call.get("status"), **began}
    if "success" in call:
        result = {"output": call.get("output"), "success": bool(call["success"]), "ms": call.get("executionTimeMs")}
        ended = {"at": ran.finished_at.isoformat()} if ran and ran.finished_at else {}
        yield {"kind": "tool_result", **named, **result, **ended}


def _with_sources(steps: Iterable[Entry], sources: list[dict[str, Any]]) -> Iterator[Entry]:
    """Put the sources before what was said of them: after the last tool's result, or first."""
    steps = list(steps)
    results = [place for place, step in enumerate(steps) if step["kind"] == "tool_result"]
    after = results[-1] + 1 if results else 0
    yield from steps[:after]
    if sources:
        yield {"kind": "sources", "sources": sources}
    yield from steps[after:]
