"""Requests that were refused in the field, by public reports: found, and repaired as one would."""

import json
from copy import deepcopy
from datetime import UTC, datetime
from decimal import Decimal
from uuid import UUID

import pytest

from rolecall.llm import contract
from rolecall.llm.document_names import legal_document_name
from rolecall.llm.repair import repaired
from rolecall.llm.repair.words import ATTACHED, BEFORE, GO_ON, INTERRUPTED, NO_OUTPUT
from rolecall.llm.stream import Finished, assemble
from rolecall.llm.tool_results import result_block


def user(*content):
    return {"role": "user", "content": [{"text": c} if isinstance(c, str) else c for c in content]}


def assistant(*content):
    return {"role": "assistant", "content": [{"text": c} if isinstance(c, str) else c for c in content]}


def use(call_id="t1", name="search", given=None):
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": given or {}}}


def result(call_id="t1", text="ok", **rest):
    return {"toolResult": {"toolUseId": call_id, "content": [{"text": text}], **rest}}


def document(name="cv"):
    return {"document": {"format": "pdf", "name": name, "source": {"bytes": b"%PDF-1.7" * 12}}}


TOOLS = {
    "tools": [{"toolSpec": {"name": "search", "description": "Find", "inputSchema": {"json": {"type": "object"}}}}]
}
PAIR = [user("q1"), assistant(use("t1"), use("t2")), user(result("t1"), result("t2")), assistant("a1"), user("q2")]


def sent(messages, **rest):
    """The messages that go out; and that they are legal, the same each time, and made of an untouched request."""
    request = {"messages": messages, **rest}
    before = deepcopy(request)
    first, second = repaired(request), repaired(request)
    assert request == before
    assert first == second
    assert first.rules
    assert contract.check(first.request) == []
    return first.request["messages"]


@pytest.mark.parametrize("limit", range(1, 5))
def test_a01_a_window_cut_inside_a_pair_begins_with_a_user_turn_without_results(limit):
    messages = PAIR[-limit:]
    request = {"messages": messages, "toolConfig": TOOLS}
    kept = repaired(request).request["messages"]

    assert contract.check({**request, "messages": kept}) == []
    assert not any("toolResult" in block for block in kept[0]["content"])
    expected = {
        1: [user("q2")],
        2: [user(BEFORE), assistant("a1"), user("q2")],
        3: [user(BEFORE), assistant("a1"), user("q2")],
        4: [user(BEFORE), *PAIR[1:]],
    }
    assert kept == expected[limit]


def test_a01_a_cut_that_leaves_calls_unanswered_answers_them():
    kept = sent(PAIR[:2], toolConfig=TOOLS)

    assert kept[:2] == PAIR[:2]
    assert kept[2] == user(*(result(call, INTERRUPTED, status="error") for call in ("t1", "t2")))


A03 = [
    user("hi"),
    assistant("\n\n"),
    user("what?"),
    assistant("", use()),
    user(result(text="   ")),
    assistant("\u200b\u00a0"),
]


@pytest.mark.parametrize("messages", [A03, [*A03[:1], assistant(), *A03[2:]], [*A03[:5], assistant()]])
def test_a03_blank_texts_go_and_their_neighbours_meet(messages):
    kept = sent(messages, toolConfig=TOOLS)

    assert kept == [user("hi", "what?"), assistant(use()), user(result(text=NO_OUTPUT))]


NAMES = ["report.pdf", "report.docx", "Report.pdf", "report.pdf", "John's CV #2, v1.0.pdf", "\u5c65\u6b74\u66f8.pdf"]
NAMES += ["\u8077\u52d9\u7d4c\u6b74.pdf", "a\u3000b.pdf", "a  b\t.pdf", ".pdf", "x" * 230 + ".pdf", "ra\u030apport.pdf"]


def test_a04_document_names_of_a_whole_conversation_are_legal_and_unique():
    used = set()
    names = [legal_document_name(name, used) for name in NAMES]

    for start in (0, 4, 7):  # a request holds five
        turns = [turn for name in names[start : start + 5] for turn in (user("see", document(name)), assistant("ok"))]
        assert contract.check({"messages": [*turns, user("so?")]}) == []


@pytest.mark.parametrize("start", [0, 4, 7])
def test_a04_illegal_names_are_repaired_the_same_each_time_those_of_tool_results_too(start):
    *first, last = NAMES[start : start + 5]
    turns = [turn for name in first for turn in (user("see", document(name)), assistant("ok"))]
    inside = {"toolResult": {"toolUseId": "t1", "content": [{"text": "see"}, document(last)]}}

    kept = sent([*turns, user("q"), assistant(use()), user(inside)], toolConfig=TOOLS)

    assert json.dumps(kept, default=str).count('"document": {') == 5


def test_a04_a_name_that_was_legal_stays():
    kept = sent([user("see", document("cv")), assistant("ok"), user("see", document("cv"), document("cv-2"))])

    assert kept[0]["content"][1]["document"]["name"] == "cv"
    assert [block["document"]["name"] for block in kept[2]["content"][1:]] == ["cv-3", "cv-2"]


@pytest.mark.parametrize("beside", [[], ["  "]])
def test_a06_a_document_alone_gets_text_beside_it(beside):
    point = {"cachePoint": {"type": "default"}}

    assert sent([user(document(), *beside)]) == [user(document(), ATTACHED)]
    assert sent([user(document(), *beside, point)]) == [user(document(), ATTACHED, point)]


def test_a06_a_document_alone_in_a_result_gets_text_beside_it():
    inside = {"toolResult": {"toolUseId": "t1", "content": [document()]}}

    kept = sent([user("q"), assistant(use()), user(inside)], toolConfig=TOOLS)

    assert kept[2]["content"][0]["toolResult"]["content"] == [document(), {"text": ATTACHED}]


def test_a07_turns_alternate_between_a_first_and_a_last_word_of_the_user():
    messages = [assistant("Welcome!"), user("one"), user("two"), assistant("partial answ ")]

    kept = sent(messages)

    assert kept == [user(BEFORE), assistant("Welcome!"), user("one", "two"), assistant("partial answ "), user(GO_ON)]


def test_a07_a_complete_reply_at_the_end_is_kept():
    kept = sent([*PAIR[:3], assistant("All of it.")], toolConfig=TOOLS)

    assert kept == [*PAIR[:3], assistant("All of it."), user(GO_ON)]


A09 = [user("q"), assistant(use()), user(result()), assistant("answer"), user("Summarise the chat in 5 words")]


@pytest.mark.parametrize("rest", [{}, {"toolConfig": None}])
def test_a09_a_side_call_over_a_history_with_tools_declares_them_as_retired(rest):
    request = repaired({"messages": A09, **rest})

    assert set(request.rules) == {"tool_config_required"}
    assert request.request["messages"] == A09
    (tool,) = request.request["toolConfig"]["tools"]
    assert tool["toolSpec"]["name"] == "search"
    assert "do not call it" in tool["toolSpec"]["description"]


TRICKY = {
    "x": float("nan"),
    "d": Decimal("1.10"),
    "when": datetime(2026, 1, 1, tzinfo=UTC),
    "id": UUID(int=1),
    "b": b"..",
}
VALUES = [[1, 2, 3], 42, True, None, "[1,2,3]", "null", "", {"a": 1000.0}, {"rows": []}, TRICKY]


@pytest.mark.parametrize("ok", [True, False])
@pytest.mark.parametrize("value", VALUES)
def test_a10_whatever_a_tool_returns_is_legal(value, ok):
    block = result_block("t1", value, ok=ok)

    assert contract.check({"messages": [user("q"), assistant(use()), user(block)], "toolConfig": TOOLS}) == []


@pytest.mark.parametrize("value", [[1, 2, 3], 42, True, None, "", "null", float("nan"), {1, 2}, TRICKY])
def test_a10_a_value_that_was_stored_as_it_was_is_repaired(value):
    block = {"toolResult": {"toolUseId": "t1", "content": [{"json": value}]}}

    kept = sent([user("q"), assistant(use()), user(block)], toolConfig=TOOLS)

    json.dumps(kept, allow_nan=False)


def events(*inputs, stop):
    yield {"contentBlockStart": {"contentBlockIndex": 0, "start": {"toolUse": {"toolUseId": "t1", "name": "query"}}}}
    for given in inputs:
        yield {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"toolUse": {"input": given}}}}
    yield {"contentBlockStop": {"contentBlockIndex": 0}}
    yield {"messageStop": {"stopReason": stop}}


STOPS = [
    "max_tokens",
    "model_context_window_exceeded",
    "malformed_tool_use",
    "guardrail_intervened",
    "content_filtered",
]


@pytest.mark.parametrize("stop", STOPS)
@pytest.mark.parametrize("given", ['{"sql": "SELECT id FROM candidates WHERE x', "{}", '{"path":"a"}'])
def test_a11_no_call_of_an_answer_that_stopped_for_another_reason_may_run(given, stop):
    *_, finished = assemble(events(given, stop=stop))

    assert isinstance(finished, Finished)
    assert finished.stop_reason == stop
    assert finished.invalid_calls.keys() == {"t1"}


ODD_NAMES = ["browser.tabs.open", "$READFILE", "", "n" * 70]
ODD_IDS = ["t1", "call_" + "x" * 70, "call|1", ""]


@pytest.mark.parametrize("name", ODD_NAMES)
@pytest.mark.parametrize("call_id", ODD_IDS)
def test_a13_an_unknown_tools_name_and_id_are_renamed_together_with_its_result(name, call_id):
    answer = result(call_id, "unknown tool", status="error")

    kept = sent([user("open it"), assistant(use(call_id, name)), user(answer), user("continue")], toolConfig=TOOLS)

    renamed = kept[1]["content"][0]["toolUse"]["toolUseId"]
    assert kept[2] == user(result(renamed, "unknown tool", status="error"), "continue")
    assert renamed == call_id or call_id != "t1"


def test_a14_two_calls_are_two_calls_and_no_input_is_an_empty_one():
    def start(index, call, name):
        return {
            "contentBlockStart": {"contentBlockIndex": index, "start": {"toolUse": {"toolUseId": call, "name": name}}}
        }

    def delta(index, text):
        return {"contentBlockDelta": {"contentBlockIndex": index, "delta": {"toolUse": {"input": text}}}}

    stream = [
        start(1, "t1", "search"),
        delta(1, '{"q":'),
        delta(1, '"a"}'),
        start(2, "t2", "list_documents"),
        delta(2, ""),
        {"messageStop": {"stopReason": "tool_use"}},
    ]
    *_, finished = assemble(stream)

    assert [block["toolUse"]["input"] for block in finished.content] == [{"q": "a"}, {}]
    assert finished.invalid_calls == {}


def test_a14_arguments_that_are_no_object_are_an_error_result_and_no_crash():
    *_, finished = assemble(events("[1]", stop="tool_use"))

    assert finished.invalid_calls.keys() == {"t1"}
