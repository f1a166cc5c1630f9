"""Whatever is left of a request, repair makes a legal one of it, and loses nothing that was said."""

from copy import deepcopy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rolecall.llm import contract
from rolecall.llm.contract import size
from rolecall.llm.repair import repaired, words
from tests.fuzz.one import run


def user(*content):
    return {"role": "user", "content": [{"text": c} if isinstance(c, str) else c for c in content]}


def assistant(*content):
    return {"role": "assistant", "content": [{"text": c} if isinstance(c, str) else c for c in content]}


def use(call_id="t1", name="search", given=None):
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": given or {}}}


def result(call_id="t1", text="ok", **rest):
    return {"toolResult": {"toolUseId": call_id, "content": [{"text": text}], **rest}}


def document(name, data=b"%PDF"):
    return {"document": {"format": "pdf", "name": name, "source": {"bytes": data}}}


THOUGHT = {"reasoningContent": {"reasoningText": {"text": "Hm", "signature": "s"}}}
TOOLS = {
    "toolConfig": {
        "tools": [{"toolSpec": {"name": "search", "description": "x", "inputSchema": {"json": {"type": "object"}}}}]
    }
}
THINKS = {"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}}}


def sent(*messages, **rest):
    request = repaired({"messages": list(messages), **rest}).request
    assert contract.check(request) == []
    return request["messages"]


@pytest.mark.parametrize("block", range(20))
def test_histories_from_a_seed_come_out_legal_whole_and_the_same_again(block):
    for number in range(block * 50, block * 50 + 50):
        run(seed=0, number=number)


scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(st.characters(codec=None), max_size=8)
KEYS = """role content text toolUse toolResult toolUseId name input json document source image format bytes
reasoningContent reasoningText signature cachePoint type status"""
keys = st.sampled_from(KEYS.split())
values = st.recursive(
    scalars | st.binary(max_size=4) | st.sampled_from(["user", "assistant", "default", "pdf"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=3),
    max_leaves=12,
)
fields = st.sampled_from(
    ["messages", "system", "toolConfig", "inferenceConfig", "additionalModelRequestFields", "tools", "thinking", "x"]
)
messages = st.fixed_dictionaries(
    {"role": st.sampled_from(["user", "assistant"]), "content": st.lists(values, max_size=3)}
)


@settings(deadline=None)
@given(values | st.dictionaries(fields, values, max_size=5))
def test_anything_at_all_becomes_a_legal_request(anything):
    before = deepcopy(anything)
    found = repaired(anything)

    assert contract.check(found.request) == []
    assert found.rules or found.request is anything
    assert repr(before) == repr(anything)


@settings(deadline=None)
@given(st.lists(messages, max_size=5), st.dictionaries(fields, values, max_size=2))
def test_any_content_of_messages_becomes_legal(given_messages, rest):
    assert contract.check(repaired({**rest, "messages": given_messages}).request) == []


def test_a_legal_request_is_the_same_object():
    request = {"messages": [user("q"), assistant(THOUGHT, use()), user(result())], **TOOLS, **THINKS}

    found = repaired(request)

    assert found.request is request
    assert not found.rules


def test_only_what_is_broken_changes():
    messages = [user("q", document("cv")), assistant(THOUGHT, "a", use("a|b")), user(result("a|b"), "and?")]
    request = {"messages": messages, "system": [{"text": "Be kind."}], **TOOLS, **THINKS}

    found = repaired(request)

    assert set(found.rules) == {"call_id"}
    assert {**found.request, "messages": None} == {**request, "messages": None}
    assert found.request["messages"][0] == messages[0]
    assert found.request["messages"][1]["content"][:2] == [THOUGHT, {"text": "a"}]


def test_a_result_that_stands_elsewhere_moves_to_its_call():
    late = sent(user("q"), assistant(use()), user("later"), assistant("ok"), user(result(text="found")), **TOOLS)
    split = sent(user("q"), assistant(use("a"), use("b")), user(result("a")), user("x", result("b")), **TOOLS)
    inside = sent(user("q"), assistant(use(), result()), user("so?"), **TOOLS)

    assert late == [
        user("q"),
        assistant(use()),
        user(result(text="found"), "later"),
        assistant("ok"),
        user(words.GO_ON),
    ]
    assert split == [user("q"), assistant(use("a"), use("b")), user(result("a"), result("b"), "x")]
    assert inside == [user("q"), assistant(use()), user(result(), "so?")]


def test_one_id_for_two_calls_becomes_two_with_their_own_results():
    kept = sent(user("q"), assistant(use()), user(result(text="1")), assistant(use()), user(result(text="2")), **TOOLS)

    assert kept[1:] == [
        assistant(use()),
        user(result(text="1")),
        assistant(use("t1-2")),
        user(result("t1-2", text="2")),
    ]


def test_the_newest_documents_stay_and_older_ones_are_named():
    turns = [turn for n in range(7) for turn in (user("see", document(f"d{n}")), assistant("ok"))]

    kept = sent(*turns, user("so?"))

    names = [block["document"]["name"] for message in kept for block in message["content"] if "document" in block]
    assert names == ["d2", "d3", "d4", "d5", "d6"]
    assert kept[0] == user("see", words.left_out("document", {"name": "d0"}, words.TOO_MANY))


def test_reasoning_goes_where_the_model_does_not_think_and_thinking_where_its_turn_did_not_begin_with_it():
    off = repaired({"messages": [user("q"), assistant(THOUGHT, use()), user(result())], **TOOLS})
    headless = repaired({"messages": [user("q"), assistant(use()), user(result())], **TOOLS, **THINKS})

    assert off.request["messages"][1] == assistant(use())
    assert set(headless.rules) == {"thinking_first"}
    assert "additionalModelRequestFields" not in headless.request


def test_a_forced_tool_stays_and_thinking_goes():
    request = {"messages": [user("q")], **THINKS, "toolConfig": {**TOOLS["toolConfig"], "toolChoice": {"any": {}}}}

    kept = repaired(request).request

    assert kept["toolConfig"]["toolChoice"] == {"any": {}}
    assert "additionalModelRequestFields" not in kept


def test_text_is_found_however_it_is_wrapped():
    kept = sent(
        "one", {"role": "user", "content": "two"}, {"role": "USER", "content": [{"type": "text", "text": "three"}]}
    )

    assert kept == [user("one", "two", "three")]


def test_no_request_at_all_asks_nothing():
    assert sent() == [user(words.NOTHING)]
    assert repaired(None).request == {"messages": [user(words.NOTHING)]}


def test_a_request_that_is_too_large_loses_files_then_outputs_then_the_ends_of_texts(monkeypatch):
    monkeypatch.setattr(size, "MAX_REQUEST_BYTES", 10_000)
    long = "said " * 600
    output = {"toolResult": {"toolUseId": "t1", "content": [{"json": {"rows": ["x" * 4000]}}]}}
    whole = [user("see", document("a", b"x" * 6000)), assistant(use()), user(output), assistant(long), user("so?")]

    kept = sent(*whole, **TOOLS)
    assert "document" not in str(kept[0]["content"][1:][0].keys())
    assert kept[2:] == whole[2:], "the oldest file was enough"
    tight = sent(*whole[1:4], assistant(long), user(long), **TOOLS)
    assert sum(len(block.get("text", "")) for message in tight for block in message["content"]) > 3000
    monkeypatch.setattr(size, "MAX_REQUEST_BYTES", 6_000)
    cut = sent(user(long), assistant(long), user(long))
    assert cut[0]["content"][0]["text"].endswith(words.CUT)
    assert cut[2] == user(long), "the newest is cut last"


def test_what_a_moved_result_leaves_behind_is_legal_too():
    point = {"cachePoint": {"type": "default"}}
    adaptive = {"additionalModelRequestFields": {"thinking": {"type": "adaptive"}}}

    assert sent(user(result(), point, result("t2")), assistant("a"), user("q"), **TOOLS) == [
        user(words.BEFORE),
        assistant("a"),
        user("q"),
    ]
    assert sent(user("q"), assistant(THOUGHT, result()), user("so?"), **TOOLS, **adaptive) == [user("q", "so?")]
