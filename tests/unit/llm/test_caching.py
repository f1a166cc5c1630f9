"""Where cache points stand."""

from rolecall.llm import contract
from rolecall.llm.caching import with_cache_points

SONNET = "eu.anthropic.claude-sonnet-4-5-20250929-v1:0"
POINT = {"cachePoint": {"type": "default"}}


def tool(words):
    schema = {"json": {"type": "object", "properties": {}}}
    return {"toolSpec": {"name": "search", "description": "word " * words, "inputSchema": schema}}


def user(text):
    return {"role": "user", "content": [{"text": text}]}


def assistant(text):
    return {"role": "assistant", "content": [{"text": text}]}


def a_request(*, tools=2000, system=2000, messages=None):
    return {
        "toolConfig": {"tools": [tool(tools)]},
        "system": [{"text": "word " * system}],
        "messages": messages or [user("hi")],
    }


def test_points_follow_tools_and_system_and_the_request_is_legal():
    request = a_request()
    pointed = with_cache_points(request, SONNET)
    assert pointed["toolConfig"]["tools"][-1] == pointed["system"][-1] == POINT
    assert contract.check(pointed) == []
    assert POINT not in request["system"], "the request itself is not changed"


def test_a_prefix_that_is_too_short_gets_no_point():
    pointed = with_cache_points(a_request(tools=10, system=10), SONNET)
    assert POINT not in pointed["toolConfig"]["tools"]
    assert POINT not in pointed["system"]


def test_tools_count_before_the_system_prompt():
    pointed = with_cache_points(a_request(tools=600, system=600), SONNET)
    assert POINT not in pointed["toolConfig"]["tools"]
    assert pointed["system"][-1] == POINT


def test_a_model_that_caches_no_tools_gets_no_point_among_them():
    pointed = with_cache_points(a_request(), "amazon.nova-lite-v1:0")
    assert POINT not in pointed["toolConfig"]["tools"]
    assert pointed["system"][-1] == POINT


def test_a_model_that_caches_nothing_gets_the_request_as_it_is():
    request = a_request()
    assert with_cache_points(request, "anthropic.claude-3-haiku-20240307-v1:0") is request
    assert with_cache_points(request, "nobody.knows-this") is request


def test_the_past_is_cached_to_its_last_answer_and_what_varies_is_not():
    messages = [user("a"), assistant("b"), user("c"), assistant("d"), user("now")]
    pointed = with_cache_points(a_request(messages=messages), SONNET, past=4)
    assert [POINT in message["content"] for message in pointed["messages"]] == [False, False, False, True, False]
    unanswered = [user("a"), assistant("b"), user("c and now")]
    pointed = with_cache_points(a_request(messages=unanswered), SONNET, past=3)
    assert [POINT in message["content"] for message in pointed["messages"]] == [False, True, False]
