"""The timeline of a turn, from its row."""

from datetime import UTC, datetime, timedelta
from uuid import uuid4

from rolecall.conversations.models import Message, MessageStatus, Role
from rolecall.tools.models import CallTimes
from rolecall.turns.timeline import entries

BEGAN = datetime(2026, 1, 1, 12, 0, tzinfo=UTC)
CALL = {"toolCallId": "t1", "toolName": "rag_search", "input": {"query": "x"}, "hop": 1}


def a_turn(**columns: object) -> Message:
    return Message.new(uuid4(), uuid4(), Role.ASSISTANT, created_at=BEGAN, **columns)


def kinds(row: Message) -> list[str]:
    return [entry["kind"] for entry in entries(row, {}, ended_at=None)]


def test_steps_come_in_their_order_with_their_times() -> None:
    row = a_turn(
        status=MessageStatus.COMPLETED,
        content_segments=[
            {"type": "reasoning", "hop": 1, "text": "Hm.", "signature": "secret"},
            {"type": "text", "hop": 1, "text": "Let me look."},
            {"type": "tool_call", "hop": 1, "toolCallId": "t1"},
            {"type": "text", "hop": 2, "text": "It is so [1]."},
        ],
        tool_calls=[CALL | {"success": True, "output": {"found": 1}, "executionTimeMs": 9}],
        sources=[{"title": "Rules"}],
    )
    ran = CallTimes("t1", BEGAN + timedelta(seconds=1), BEGAN + timedelta(seconds=2))

    told = list(entries(row, {"t1": ran}, ended_at=BEGAN + timedelta(seconds=3)))

    assert [entry["kind"] for entry in told] == [
        "status",
        "thought",
        "text",
        "tool_call",
        "tool_result",
        "sources",
        "text",
        "status",
    ]
    assert [entry["at"][17:19] for entry in told if "at" in entry] == ["00", "01", "02", "03"]
    assert "secret" not in str(told)


def test_a_call_without_a_result_has_none_in_the_timeline() -> None:
    row = a_turn(content_segments=[{"type": "tool_call", "hop": 1, "toolCallId": "t1"}], tool_calls=[CALL])
    assert kinds(row) == ["status", "tool_call", "status"]


def test_damaged_segments_are_left_out() -> None:
    segments = [{"type": "tool_call", "toolCallId": "gone"}, {"type": "unknown"}, {"type": "text", "text": ""}, {}]
    assert kinds(a_turn(content_segments=segments)) == ["status", "status"]


def test_a_failed_turn_ends_in_its_reason() -> None:
    row = a_turn(status=MessageStatus.FAILED, error_code="CANCELLED", error_message="You stopped the answer.")
    *_, last = entries(row, {}, ended_at=None)
    assert (last["status"], last["text"]) == ("FAILED", "You stopped the answer.")
