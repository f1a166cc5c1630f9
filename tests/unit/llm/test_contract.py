import copy

import botocore.session
import pytest

from rolecall.llm import contract
from rolecall.llm.contract import size
from rolecall.llm.contract.documents import MAX_IMAGE_BYTES
from rolecall.llm.contract.kinds import REQUEST, ListOf, Part


def user(*content):
    return {"role": "user", "content": [{"text": c} if isinstance(c, str) else c for c in content]}


def assistant(*content):
    return {"role": "assistant", "content": [{"text": c} if isinstance(c, str) else c for c in content]}


def use(call_id="t1", name="search", given=None):
    return {"toolUse": {"toolUseId": call_id, "name": name, "input": {} if given is None else given}}


def result(call_id="t1", *content, **rest):
    return {"toolResult": {"toolUseId": call_id, "content": list(content) or [{"text": "ok"}], **rest}}


def document(name="cv", size=100, fmt="pdf"):
    return {"document": {"format": fmt, "name": name, "source": {"bytes": b"x" * size}}}


def image(size=100, fmt="png"):
    return {"image": {"format": fmt, "source": {"bytes": b"x" * size}}}


def reasoning(**text):
    return {"reasoningContent": {"reasoningText": {"text": "Hm", **text}}}


def tool(name="search", **spec):
    return {"toolSpec": {"name": name, "description": "Find", "inputSchema": {"json": {"type": "object"}}, **spec}}


def thinking(kind="enabled", **fields):
    budget = {"budget_tokens": 1024} if kind == "enabled" else {}
    return {"additionalModelRequestFields": {"thinking": {"type": kind, **budget, **fields}}}


TOOLS = {"toolConfig": {"tools": [tool()]}}
POINT = {"cachePoint": {"type": "default"}}
THOUGHT = reasoning(signature="s")
ROUND = [user("q"), assistant("Looking", use()), user(result())]


def rules(*messages, **rest):
    request = {"messages": list(messages), **rest}
    before = copy.deepcopy(request)
    found = {violation.rule for violation in contract.check(request)}
    assert request == before, "checking changes nothing"
    return found


@pytest.mark.parametrize(
    "request_",
    [
        {"messages": [user("hi")]},
        {"messages": [user("hi"), assistant("hello "), user("so?")], "system": [{"text": "Be kind"}]},
        {"messages": [*ROUND, assistant("a"), user("q2")], **TOOLS},
        {"messages": [user("q"), assistant(use("a"), use("b")), user(result("b"), result("a"), "and?")], **TOOLS},
        {"messages": [user("q"), assistant(THOUGHT, use()), user(result())], **TOOLS, **thinking()},
        {"messages": [user("q"), assistant(THOUGHT, use()), user(result(), "and?")], **TOOLS, **thinking("adaptive")},
        {
            "messages": [user("q"), assistant(THOUGHT, use()), user(result()), assistant(use("b")), user(result("b"))],
            **TOOLS,
            **thinking(),
        },
        {"messages": [*ROUND, assistant("a"), user("q2")], **TOOLS, **thinking()},
        {"messages": [*ROUND], **TOOLS, **thinking("adaptive")},
        {"messages": [user("q", POINT)], "system": [{"text": "s"}, POINT], "toolConfig": {"tools": [tool(), POINT]}},
        {"messages": [user("read", document(), POINT)], "toolConfig": None},
        {"messages": [user("q"), assistant(use("a"), use("b")), user(result("a"), POINT, result("b"))], **TOOLS},
        {"messages": [user("read", document("John s CV (2) [v1-0]"), image())]},
        {"messages": [user("q"), assistant(use()), user(result("t1", {"text": "see"}, document()))], **TOOLS},
        {"messages": [user("q", {"cachePoint": {"type": "default"}})], "inferenceConfig": {"maxTokens": 1}},
        {
            "messages": [user("q")],
            "inferenceConfig": {"maxTokens": 4000, "temperature": 1},
            "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1024}},
        },
        {"messages": [user("q")], "toolConfig": {"tools": [tool()], "toolChoice": {"tool": {"name": "search"}}}},
    ],
)
def test_a_legal_request_has_no_violation(request_):
    assert contract.check(request_) == []


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        ([], "no_messages"),
        ([assistant("Welcome!"), user("hi")], "first_is_user"),
        ([user("one"), user("two")], "alternate"),
        ([user("one"), assistant("half")], "last_is_user"),
        ([user("one"), assistant("half ")], "trailing_whitespace"),
        ([{"role": "system", "content": [{"text": "x"}]}], "role"),
        ([user("hi"), assistant(), user("so?")], "empty_content"),
        ([user("hi"), assistant("\n\n"), user("so?")], "blank_text"),
        ([user("hi"), assistant("\u200b\u00a0"), user("so?")], "blank_text"),
        ([user("")], "blank_text"),
        ([user({"text": "a", "image": {}})], "one_kind"),
        ([user({})], "one_kind"),
        ([user({"text": "a", "type": "text"})], "unknown_field"),
        ([user({"text": None})], "wrong_type"),
        ([user({"text": "\ud83d"})], "unicode"),
        ([{"role": "user", "content": "hi"}], "wrong_type"),
        ([{"role": "user"}], "missing_field"),
        (["hi"], "wrong_type"),
        ([user("q"), assistant("a", reasoning()), user("so?")], "reasoning_signature"),
        ([user(THOUGHT)], "reasoning_role"),
        ([user("q"), assistant(THOUGHT, "a"), user("so?")], "reasoning_off"),
        ([user("q"), assistant("a", THOUGHT), user("so?")], "reasoning_last"),
        ([user("q"), assistant("a", THOUGHT, POINT), user("so?")], "reasoning_last"),
        ([user("q"), assistant(THOUGHT, POINT, "a"), user("so?")], "cache_place"),
        ([user(POINT, "q")], "cache_place"),
        ([user("q", POINT, POINT)], "cache_place"),
        ([user("q", document(fmt="docx"), POINT)], "cache_place"),
        ([user("q", {"cachePoint": {"type": "ephemeral"}})], "cache_type"),
        ([user(*(block for _ in range(5) for block in ({"text": "q"}, POINT)))], "cache_count"),
        ([user("q"), assistant("see", document()), user("so?")], "file_role"),
        ([user(document())], "text_with_document"),
        ([user(document(), "  ")], "text_with_document"),
        ([user("read", document("a_b"))], "document_name"),
        ([user("read", document("a  b"))], "document_name"),
        ([user("read", document("a\u3000b"))], "document_name"),
        ([user("read", document(""))], "document_name"),
        ([user("read", document("x" * 201))], "document_name"),
        ([user("read", document("CV")), assistant("ok"), user("again", document("cv"))], "duplicate_document"),
        ([user("read", *(document(f"d{i}") for i in range(6)))], "too_many_documents"),
        ([user("look", *(image() for _ in range(21)))], "too_many_images"),
        ([user("look", image(MAX_IMAGE_BYTES + 1))], "file_size"),
        ([user("read", document(size=0))], "file_size"),
        ([user("read", document(size=4_500_001))], "file_size"),
        ([user("read", document(fmt="exe"))], "file_format"),
    ],
)
def test_what_bedrock_refuses_in_messages_is_found(messages, rule):
    assert rule in rules(*messages)


@pytest.mark.parametrize(
    ("messages", "rule"),
    [
        ([user("q"), assistant(use()), user("no result")], "unanswered_call"),
        ([user("q"), assistant(use("a"), use("b")), user(result("a"))], "unanswered_call"),
        ([user("q"), assistant(use())], "unanswered_call"),
        ([user("q"), assistant(use()), user("later"), assistant("ok"), user(result())], "unanswered_call"),
        ([user(result())], "orphan_result"),
        ([*ROUND, assistant("a"), user(result())], "orphan_result"),
        ([user("q"), assistant(use()), user(result(), result())], "duplicate_result"),
        ([user("q"), assistant(use()), user("text first", result())], "results_first"),
        ([user("q"), assistant(use("a"), use("b")), user(result("a"), "between", result("b"))], "results_first"),
        ([user("q"), assistant(use(given={"x": float("nan")})), user(result())], "json_value"),
        ([user("q"), assistant(use()), user(result("t1", {"json": {"x": {1, 2}}}))], "json_value"),
        ([user("q"), assistant(use(), use()), user(result())], "duplicate_call"),
        ([*ROUND, assistant(use()), user(result())], "duplicate_call"),
        ([user("q"), assistant(use(), result()), user(result())], "result_role"),
        ([user(use()), assistant("a"), user("b")], "call_role"),
        ([user("q"), assistant(use(name="browser.tabs.open")), user(result())], "tool_name"),
        ([user("q"), assistant(use(name="")), user(result())], "tool_name"),
        ([user("q"), assistant(use(name="x" * 65)), user(result())], "tool_name"),
        ([user("q"), assistant(use("a|b")), user(result("a|b"))], "call_id"),
        ([user("q"), assistant(use("call_" + "x" * 70)), user(result("call_" + "x" * 70))], "call_id"),
        ([user("q"), assistant(use(given=[1])), user(result())], "call_input"),
        ([user("q"), assistant(use()), user(result("t1", {"json": [1]}))], "json_object"),
        ([user("q"), assistant(use()), user(result("t1", {"json": None}))], "json_object"),
        ([user("q"), assistant(use()), user(result("t1", {"text": "   "}))], "blank_text"),
        ([user("q"), assistant(use()), user({"toolResult": {"toolUseId": "t1", "content": []}})], "empty_result"),
        ([user("q"), assistant(use()), user(result(status="failed"))], "result_status"),
        ([user("q"), assistant(use()), user(result("t1", document()))], "text_with_document"),
        (
            [user("read", document("cv")), assistant(use()), user(result("t1", {"text": "x"}, document("cv")))],
            "duplicate_document",
        ),
    ],
)
def test_what_bedrock_refuses_in_calls_and_results_is_found(messages, rule):
    assert rule in rules(*messages, **TOOLS)


def test_tool_blocks_without_a_tool_list_are_refused():
    assert rules(*ROUND, assistant("a"), user("Summarise")) == {"tool_config_required"}


@pytest.mark.parametrize(
    ("rest", "rule"),
    [
        ({"toolConfig": {"tools": []}}, "no_tools"),
        ({"toolConfig": {"tools": [tool(), tool()]}}, "duplicate_tool"),
        ({"toolConfig": {"tools": [tool("a.b")]}}, "tool_name"),
        ({"toolConfig": {"tools": [tool(description=" ")]}}, "tool_description"),
        ({"toolConfig": {"tools": [tool(inputSchema={"json": {"type": "array"}})]}}, "tool_schema"),
        ({"toolConfig": {"tools": [tool()], "toolChoice": {"tool": {"name": "other"}}}}, "tool_choice"),
        ({"system": [{"text": " "}]}, "blank_text"),
        ({"inferenceConfig": {"maxTokens": 0}}, "max_tokens"),
        ({"inferenceConfig": {"temperature": 1.1}}, "zero_to_one"),
        ({"inferenceConfig": {"topP": -0.1}}, "zero_to_one"),
        ({"inferenceConfig": {"temperature": float("nan")}}, "zero_to_one"),
        ({"inferenceConfig": {"temperature": None}}, "wrong_type"),
        ({"inferenceConfig": {"maxTokens": True}}, "wrong_type"),
        ({"inferenceConfig": {"stopSequences": [" "]}}, "stop_sequences"),
        ({"additionalModelRequestFields": [1]}, "additional_fields"),
        ({"modelId": "x"}, "unknown_field"),
        (thinking() | {"inferenceConfig": {"topP": 0.9}}, "thinking_top_p"),
        (
            thinking() | {"toolConfig": {"tools": [tool()], "toolChoice": {"any": {}}}},
            "thinking_tool_choice",
        ),
        ({"additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 1023}}}, "thinking_budget"),
        (
            {
                "additionalModelRequestFields": {"thinking": {"type": "enabled", "budget_tokens": 2000}},
                "inferenceConfig": {"maxTokens": 2000},
            },
            "thinking_budget",
        ),
        (
            {
                "additionalModelRequestFields": {"thinking": {"type": "adaptive"}},
                "inferenceConfig": {"temperature": 0.5},
            },
            "thinking_temperature",
        ),
    ],
)
def test_what_bedrock_refuses_beside_messages_is_found(rest, rule):
    assert rules(user("hi"), **rest) == {rule}


def test_a_violation_says_where_it_is():
    violations = contract.check({"messages": [user("hi"), assistant("ok", " "), user("so?")]})
    assert [violation.path for violation in violations] == ["messages.1.content.1.text"]
    assert "messages.1.content.1 is blank" in violations[0].message


def test_a_turn_that_goes_on_with_a_thinking_budget_begins_with_reasoning():
    assert rules(*ROUND, **TOOLS, **thinking()) == {"thinking_first"}
    assert rules(user("q"), assistant(use("a")), user(result("a")), *ROUND[1:], **TOOLS, **thinking()) == {
        "thinking_first"
    }


def test_the_whole_may_not_be_too_large(monkeypatch):
    monkeypatch.setattr(size, "MAX_REQUEST_BYTES", 1000)

    assert rules(user("read", document(size=2000))) == {"request_size"}
    assert rules(user("é" * 300)) == set()


@pytest.mark.parametrize("request_", [None, [], "x", 1, {}, {"messages": None}])
def test_what_is_no_request_at_all_is_told_about_its_shape(request_):
    assert {violation.rule for violation in contract.check(request_)} <= {"wrong_type", "missing_field"}


def test_the_fields_are_those_of_the_service():
    service = botocore.session.get_session().get_service_model("bedrock-runtime")

    def compare(kind, shape, path):
        if isinstance(kind, ListOf):
            compare(kind.item, shape.member, f"{path}.*")
        elif isinstance(kind, Part):
            known = set(shape.members) - {"modelId"}
            assert kind.fields.keys() == known or (kind.union and kind.fields.keys() <= known), path
            assert kind.required == set(shape.required_members) - {"modelId"} or path == "", path
            assert kind.union == shape.is_tagged_union, path
            for name, inner in kind.fields.items():
                compare(inner, shape.members[name], f"{path}.{name}")
        else:
            expected = {"string": "text", "blob": "bytes", "float": "number"}.get(shape.type_name, shape.type_name)
            expected = "json" if getattr(shape, "is_document_type", False) else expected
            assert kind == expected or (kind == "object" and shape.type_name in ("structure", "map")), path

    compare(REQUEST, service.operation_model("ConverseStream").input_shape, "")
