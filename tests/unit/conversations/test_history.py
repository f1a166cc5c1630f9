"""Whatever rows are stored, the messages made of them are legal, and nothing that was said is lost."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from uuid import uuid4

from hypothesis import given
from hypothesis import strategies as st

from rolecall.conversations.history import INTERRUPTED, NOT_DECIDED, joined, messages_of, turn_messages
from rolecall.conversations.models import Message
from rolecall.llm.contract import check
from rolecall.llm.text import is_blank

TOOL = {"toolSpec": {"name": "x", "description": "x", "inputSchema": {"json": {"type": "object"}}}}


def a_message(role: str = "USER", content: str = "hello", **columns: Any) -> Message:
    row = Message(
        id=uuid4(),
        conversation_id=uuid4(),
        position=1,
        role=role,
        status="COMPLETED",
        content=content,
        content_segments=[],
        tool_calls=[],
        sources=[],
        page_context=None,
        rag_context=None,
        origin="user",
        stop_reason=None,
        error_code=None,
        error_message=None,
        input_tokens=0,
        output_tokens=0,
        total_time_ms=None,
        created_at=datetime.now(UTC),
    )
    return replace(row, **columns)


def a_call(call_id: str = "t1", **fields: Any) -> dict[str, Any]:
    return {"toolCallId": call_id, "toolName": "search", "input": {}, "hop": 1} | fields


def an_answer(*calls: dict[str, Any], text: str = "I look.", after: str = "Found.", **columns: Any) -> Message:
    segments = [{"type": "text", "text": text, "hop": 1}]
    segments += [{"type": "tool_call", "toolCallId": call["toolCallId"], "hop": 1} for call in calls]
    segments.append({"type": "text", "text": after, "hop": 2})
    return a_message("ASSISTANT", f"{text}\n\n{after}", content_segments=segments, tool_calls=list(calls), **columns)


def results_in(messages: list[Any]) -> dict[str, Any]:
    blocks = (block for message in messages for block in message["content"])
    results = [block["toolResult"] for block in blocks if "toolResult" in block]
    return {result["toolUseId"].partition("-")[2]: result for result in results}


def test_parallel_results_are_batched_in_the_message_after_their_calls() -> None:
    calls = [a_call(f"t{n}", success=n != 2, output={"n": n} if n != 2 else "broken") for n in (1, 2, 3)]

    messages = messages_of([a_message(), an_answer(*calls), a_message(content="thanks")])

    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant", "user"]
    assert [block["toolResult"]["status"] for block in messages[2]["content"]] == ["success", "error", "success"]


def test_a_call_without_a_result_is_answered_as_interrupted_and_its_text_stays() -> None:
    messages = messages_of([a_message(), an_answer(a_call(), status="FAILED"), a_message(content="and?")])

    result = results_in(messages)["t1"]
    assert (result["status"], result["content"]) == ("error", [{"text": INTERRUPTED}])
    assert {"text": "I look."} in messages[1]["content"]


def test_a_call_that_waits_for_a_person_reads_as_not_decided() -> None:
    messages = messages_of([a_message(), an_answer(a_call(), status="AWAITING_APPROVAL"), a_message(content="and?")])

    assert results_in(messages)["t1"]["content"] == [{"text": NOT_DECIDED}]


def test_a_result_that_is_only_in_the_flat_row_is_used() -> None:
    answer = an_answer(a_call())

    messages = messages_of([a_message(), answer], {(answer.id, "t1"): ("flat", True)})

    assert results_in(messages)["t1"]["content"] == [{"text": "flat"}]


def test_flat_rows_of_unknown_calls_and_tool_rows_are_skipped() -> None:
    rows = [a_message(), a_message("TOOL", "orphan"), a_message("SYSTEM", "prompt"), a_message("ASSISTANT", "hi")]

    messages = messages_of(rows, {(uuid4(), "t9"): ("orphan", True)})

    assert messages == [
        {"role": "user", "content": [{"text": "hello"}]},
        {"role": "assistant", "content": [{"text": "hi"}]},
    ]


def test_an_answer_that_never_said_anything_leaves_two_questions_in_one_message() -> None:
    rows = [a_message(content="one"), a_message("ASSISTANT", "", status="FAILED"), a_message(content="two")]

    assert messages_of(rows) == [{"role": "user", "content": [{"text": "one"}, {"text": "two"}]}]


def test_a_window_that_begins_with_an_answer_begins_with_the_next_question() -> None:
    rows = [an_answer(a_call(success=True, output="x")), a_message(content="next")]

    assert messages_of(rows) == [{"role": "user", "content": [{"text": "next"}]}]


def test_reasoning_is_kept_within_the_turn_and_dropped_afterwards() -> None:
    thought = {"type": "reasoning", "text": "hm", "signature": "sig", "hop": 1}
    answer = an_answer(a_call(success=True, output="x"))
    answer = replace(answer, content_segments=[thought, *answer.content_segments])

    within, later = turn_messages(answer), messages_of([a_message(), answer])

    assert within[0]["content"][0] == {"reasoningContent": {"reasoningText": {"text": "hm", "signature": "sig"}}}
    assert not any("reasoningContent" in block for message in later for block in message["content"])


def test_a_tick_is_preceded_by_a_synthetic_user_marker() -> None:
    rows = [a_message(), a_message("ASSISTANT", "hi"), a_message("ASSISTANT", "woke", origin="heartbeat")]

    assert [message["role"] for message in messages_of(rows)] == ["user", "assistant", "user", "assistant"]


ids = st.text(st.characters(codec="utf-8"), max_size=80)
texts = st.one_of(st.text(max_size=30), st.sampled_from(["", " ", "\u200b", "\n\n", "\u200b \ufeff", "ok "]))
outputs = st.one_of(
    st.none(),
    texts,
    st.integers(),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(max_size=5), st.floats(), max_size=3),
)


@st.composite
def answers(draw: st.DrawFn) -> Message:
    call_ids = draw(st.lists(ids.filter(bool), unique=True, max_size=4))
    calls = []
    for call_id in call_ids:
        call = {"toolCallId": call_id, "toolName": draw(ids), "input": draw(st.one_of(st.just({}), outputs)), "hop": 1}
        if draw(st.booleans()):
            call |= {"success": draw(st.booleans()), "output": draw(outputs)}
        calls.append(call)
    segments: list[dict[str, Any]] = []
    for hop in range(1, draw(st.integers(1, 4))):
        kinds = draw(st.lists(st.sampled_from(["text", "reasoning", "tool_call"]), max_size=4))
        segments += list(_segments(draw, kinds, call_ids, hop))
    first_uses = {s["toolCallId"]: s for s in reversed(segments) if s["type"] == "tool_call"}
    segments = [s for s in segments if s["type"] != "tool_call" or s is first_uses[s["toolCallId"]]]
    status = draw(st.sampled_from(["COMPLETED", "FAILED", "STREAMING", "AWAITING_APPROVAL"]))
    origin = draw(st.sampled_from(["user", "user", "heartbeat"]))
    return a_message(
        "ASSISTANT", draw(texts), content_segments=segments, tool_calls=calls, status=status, origin=origin
    )


def _segments(draw: st.DrawFn, kinds: list[str], call_ids: list[str], hop: int) -> Iterator[dict[str, Any]]:
    for kind in kinds:
        if kind == "text":
            yield {"type": "text", "text": draw(texts), "hop": hop}
        elif kind == "reasoning":
            yield {"type": "reasoning", "text": draw(texts), "signature": draw(st.sampled_from(["", "s"])), "hop": hop}
        elif call_ids:
            yield {"type": "tool_call", "toolCallId": draw(st.sampled_from(call_ids)), "hop": hop}


users = st.builds(lambda content: a_message("USER", content), texts)
others = st.sampled_from([a_message("TOOL", "x"), a_message("SYSTEM", "x")])
rows = st.lists(st.one_of(users, answers(), others), max_size=8)


@given(rows)
def test_every_stored_history_makes_a_legal_request(stored: list[Message]) -> None:
    messages = joined([*messages_of(stored), {"role": "user", "content": [{"text": "now"}]}])
    names = {b["toolUse"]["name"] for m in messages for b in m["content"] if "toolUse" in b}
    tools = [{"toolSpec": {**TOOL["toolSpec"], "name": name}} for name in sorted(names)]
    request = {"messages": messages} | ({"toolConfig": {"tools": tools}} if tools else {})

    assert check(request) == []


@given(rows)
def test_no_visible_text_of_a_question_or_answer_is_lost_after_the_first_question(stored: list[Message]) -> None:
    sent = "\n".join(
        block["text"] for message in messages_of(stored) for block in message["content"] if "text" in block
    )
    begun = False
    for row in stored:
        begun = begun or (row.role == "USER" and not is_blank(row.content)) or row.origin == "heartbeat"
        if row.role == "USER" and not is_blank(row.content):
            assert row.content in sent
        if row.role == "ASSISTANT" and begun:
            for segment in row.content_segments:
                if segment["type"] == "text" and not is_blank(segment["text"]):
                    assert segment["text"].rstrip() in sent
