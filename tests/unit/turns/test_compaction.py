"""What is folded and cut: whole turns, oldest first; outputs with a mark."""

from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from rolecall.conversations import history
from rolecall.conversations.models import Message, MessageStatus, Role
from rolecall.llm import contract
from rolecall.turns.afterwards import kept_rows, whole_turns
from rolecall.turns.clipping import Clip, clipped
from rolecall.turns.compaction import parted, row_tokens

CONVERSATION = uuid4()


def a_row(role, text="", **columns):
    return Message.new(uuid4(), CONVERSATION, role, content=text, **({"status": MessageStatus.COMPLETED} | columns))


def a_call(output):
    return {"toolCallId": "c1", "toolName": "find", "input": {}, "hop": 1, "success": True, "output": output}


def a_turn(text, output=None):
    calls = [] if output is None else [a_call(output)]
    segments = [{"type": "tool_call", "toolCallId": "c1", "hop": 1}] if calls else []
    said = [*segments, {"type": "text", "text": f"Answer to {text}", "hop": 2}]
    answer = a_row(Role.ASSISTANT, f"Answer to {text}", content_segments=said, tool_calls=calls)
    return [a_row(Role.USER, text), answer]


turns = st.lists(st.tuples(st.text(min_size=1, max_size=400), st.none() | st.text(max_size=400)), max_size=8).map(
    lambda told: [row for text, output in told for row in a_turn(text, output)]
)


@given(turns, st.integers(0, 500))
def test_rows_are_parted_between_turns_and_what_stays_fits(rows, keep):
    dropped, kept = parted(rows, keep)
    assert dropped + kept == rows
    assert not kept or kept[0].role == Role.USER
    assert sum(map(row_tokens, kept)) <= keep
    if dropped:
        assert sum(map(row_tokens, [*dropped[-2:], *kept])) > keep, "no more is dropped than must be"


@given(turns, st.integers(0, 300))
def test_what_stays_is_a_legal_history_whatever_is_cut(rows, limit):
    kept = parted(rows, 200)[1]
    messages = clipped([*history.messages_of(kept), {"role": "user", "content": [{"text": "And now?"}]}], limit)
    request = {"messages": history.joined(messages)}
    named = {"name": "find", "description": "d", "inputSchema": {"json": {"type": "object"}}}
    assert contract.check({**request, "toolConfig": {"tools": [{"toolSpec": named}]}}) == []


def test_a_long_output_is_cut_with_a_mark_and_a_short_one_stays():
    rows = [*a_turn("one", {"text": "x" * 500}), *a_turn("two", {"text": "short"})]
    results = [
        block["toolResult"]["content"][0]
        for message in clipped(history.messages_of(rows), 100)
        for block in message["content"]
        if "toolResult" in block
    ]
    assert results[0]["text"].endswith("[… 412 more characters were left out]")
    assert results[1] == {"json": {"text": "short"}}
    assert Clip().past <= Clip().now


def test_summaries_cover_whole_turns_that_have_ended():
    done, waiting = a_turn("one"), [a_row(Role.USER, "two"), a_row(Role.ASSISTANT, status=MessageStatus.STREAMING)]
    assert whole_turns([*done, *waiting]) == done
    assert whole_turns([*done, a_row(Role.USER, "three")]) == done
    assert whole_turns(waiting) == []


def test_a_quarter_of_the_window_is_free_after_a_summary():
    assert [kept_rows(window) for window in (1, 2, 4, 20, 100)] == [2, 2, 3, 15, 75]
