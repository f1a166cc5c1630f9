"""Rows that the schema lets in are replayed, whatever their JSON holds; what was said in them stays."""

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolecall.conversations.history import joined, messages_of, turn_messages
from rolecall.conversations.mend import INTERRUPTED, mended
from rolecall.conversations.models import Message
from rolecall.llm.contract import check
from rolecall.llm.text import is_blank
from tests.unit.conversations.test_history import a_call, a_message, an_answer

TOOL = {"toolSpec": {"name": "x", "description": "x", "inputSchema": {"json": {"type": "object"}}}}


def an_ended(**columns: Any) -> Message:
    return replace(an_answer(a_call(success=True, output="x", status="SUCCEEDED")), **columns)


def test_a_sound_row_is_the_same_object() -> None:
    row = an_ended()

    assert mended(row) is row
    assert mended(a_message()).role == "USER"


def test_a_call_of_an_ended_turn_gets_the_result_of_its_flat_row_or_else_was_interrupted() -> None:
    row = an_answer(a_call("a"), a_call("b"))

    first, second = mended(row, {(row.id, "a"): ("flat", True)}).tool_calls

    assert (first["success"], first["output"], first["status"]) == (True, "flat", "SUCCEEDED")
    assert (second["success"], second["output"], second["status"]) == (False, INTERRUPTED, "FAILED")


def test_a_call_of_a_turn_that_goes_on_or_waits_for_a_person_stays_open() -> None:
    waiting = an_answer(a_call(), status="AWAITING_APPROVAL")
    live = an_answer(a_call(), status="STREAMING")

    assert mended(waiting) is waiting
    assert mended(live, live=True) is live


def test_content_without_segments_is_said_after_the_calls() -> None:
    whole = mended(an_ended(content="Found.", content_segments=[]))

    assert [segment["type"] for segment in whole.content_segments] == ["tool_call", "text"]
    assert [segment["hop"] for segment in whole.content_segments] == [1, 2]


def test_segments_without_content_are_its_content() -> None:
    assert mended(an_ended(content=" ")).content == "I look.\n\nFound."


def test_the_same_call_twice_is_one_and_another_of_its_id_gets_its_own() -> None:
    call = a_call(success=True, output="x")
    other = {**call, "input": {"q": 1}}

    whole = mended(an_ended(tool_calls=[{**call, "success": True}, call, other]))

    assert [entry["toolCallId"] for entry in whole.tool_calls] == ["t1", "t1-2"]
    segments = [segment["toolCallId"] for segment in whole.content_segments if segment["type"] == "tool_call"]
    assert segments == ["t1", "t1-2"]


@pytest.mark.parametrize(
    ("segment", "expected"),
    [
        ("said", {"type": "text", "text": "said", "hop": 1}),
        ({"type": "text", "text": 7}, {"type": "text", "text": "7", "hop": 1}),
        ({"text": "said"}, {"type": "text", "text": "said", "hop": 1}),
        ({"type": "hologram", "text": "said", "hop": "2"}, {"type": "text", "text": "said", "hop": 2}),
        ({"type": "hologram", "hop": 2}, {"type": "hologram", "hop": 2}),
        ({"type": "reasoning", "signature": 1}, {"type": "reasoning", "text": "", "hop": 1}),
        ({"type": "tool_call", "toolCallId": "ghost"}, None),
        ({"type": "text", "text": " \u200b"}, None),
        (None, None),
        ([1], None),
    ],
)
def test_an_odd_segment_becomes_what_it_says(segment: Any, expected: Any) -> None:
    whole = mended(a_message("ASSISTANT", "", content_segments=[segment]))

    assert whole.content_segments == ([expected] if expected else [])


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=6)
keys = st.sampled_from(
    ["type", "text", "hop", "toolCallId", "toolName", "input", "success", "output", "id", "redacted"]
)
kinds = st.sampled_from(["text", "reasoning", "tool_call", "t1", "t2"])
values = st.recursive(
    scalars | kinds,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(keys, inner, max_size=5),
    max_leaves=10,
)
columns = st.fixed_dictionaries(
    {
        "content": st.text(max_size=6),
        "content_segments": st.lists(values, max_size=4),
        "tool_calls": st.lists(values, max_size=4),
        "sources": st.lists(values, max_size=2),
        "status": st.sampled_from(["COMPLETED", "FAILED", "STREAMING", "AWAITING_APPROVAL"]),
        "origin": st.sampled_from(["user", "heartbeat"]),
    }
)
rows = columns.map(lambda given_columns: replace(a_message("ASSISTANT"), **given_columns))


@settings(deadline=None)
@given(rows)
def test_any_row_is_mended_once_and_keeps_what_it_says(row: Message) -> None:
    whole = mended(row)

    assert mended(whole) is whole
    assert not is_blank(whole.content) or is_blank(row.content)
    texts = "\n".join(segment["text"] for segment in whole.content_segments if segment.get("type") == "text")
    for segment in row.content_segments:
        if isinstance(segment, dict) and segment.get("type") == "text" and isinstance(segment.get("text"), str):
            assert is_blank(segment["text"]) or segment["text"] in texts
    turn_messages(row)


@settings(deadline=None)
@given(st.lists(rows | st.just(a_message()), max_size=4))
def test_any_stored_rows_make_a_legal_request(stored: list[Message]) -> None:
    messages = joined([*messages_of(stored), {"role": "user", "content": [{"text": "now"}]}])

    assert check({"messages": messages, "toolConfig": {"tools": [TOOL]}}) == []
