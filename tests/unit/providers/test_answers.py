"""What each provider's model answers, over HTTP."""

import asyncio
import threading
import time

import pytest

from local.bedrock.answer import CallTool, Say, Think
from local.bedrock.script import StopAt
from rolecall.llm.stream import Finished, ReasoningDelta, TextDelta, ToolUseStarted
from tests.fakes.model_servers import RIGHT_KEY
from tests.unit.providers.conftest import said

SPEECH = "One, two, three, four, five, six, seven."
PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c63f8cfc0f01f0005000"
    "1ff56c7258f0000000049454e44ae426082"
)
SEARCH = {
    "toolSpec": {
        "name": "search",
        "description": "Search.",
        "inputSchema": {"json": {"type": "object", "properties": {"q": {"type": "string"}}}},
    }
}


def a_request(text="hello", **rest):
    return {
        "system": [{"text": "Be kind."}, {"text": "Be brief."}],
        "messages": [{"role": "user", "content": [{"text": text}]}],
        "inferenceConfig": {"maxTokens": 2000},
        **rest,
    }


def use(call_id, **arguments):
    return {"toolUse": {"toolUseId": call_id, "name": "search", "input": arguments}}


def result(call_id, *content, status="success"):
    return {"toolResult": {"toolUseId": call_id, "content": list(content), "status": status}}


def a_round(*results, calls=("t1",), before=()):
    """A conversation whose last round of tools has just come back."""
    messages = [
        {"role": "user", "content": [{"text": "find it"}]},
        {"role": "assistant", "content": [*before, *(use(call, q=call) for call in calls)]},
        {"role": "user", "content": list(results)},
    ]
    return {**a_request(), "messages": messages, "toolConfig": {"tools": [SEARCH]}}


def test_text_reasoning_and_parallel_calls_arrive_in_order(house):
    call = CallTool("search", {"q": "café ☕ and a longer text"}, call_id="t1")
    house.server.script.push(Think("Let me look."), Say(SPEECH), call, CallTool("search", call_id="t2"))
    *events, last = house.ask(a_request(toolConfig={"tools": [SEARCH]}))
    assert said(events) == SPEECH
    assert sum(isinstance(event, TextDelta) for event in events) > 3, "the text streams"
    assert "".join(e.text for e in events if isinstance(e, ReasoningDelta)) == "Let me look."
    assert [e for e in events if isinstance(e, ToolUseStarted)] == [
        ToolUseStarted("t1", "search"),
        ToolUseStarted("t2", "search"),
    ]
    assert last.stop_reason == "tool_use"
    assert [next(iter(block)) for block in last.content] == ["reasoningContent", "text", "toolUse", "toolUse"]
    assert last.content[2]["toolUse"]["input"] == {"q": "café ☕ and a longer text"}
    assert last.content[3]["toolUse"]["input"] == {}
    assert last.invalid_calls == {}


def test_usage_counts_cached_tokens_apart(house):
    *_, last = house.ask(a_request())
    assert last.stop_reason == "end_turn"
    assert last.usage.input_tokens > 0
    assert last.usage.output_tokens > 0
    assert last.usage.cache_read in (4, 5, 7)
    assert last.usage.cache_write == (3 if house.name == "anthropic" else 0)


def test_a_round_of_tools_comes_back_paired_and_in_order(house):
    request = a_round(
        result("t1", {"json": {"found": 3}}),
        result("t2", {"text": "It broke."}, status="error"),
        {"text": "and hurry"},
        calls=("t1", "t2"),
        before=[{"text": "One moment."}],
    )
    *events, _ = house.ask(request)
    assert said(events)
    sent = str(house.server.chats[-1].body)
    assert "It broke." in sent
    assert "error" in sent, "the model is told that the call failed"
    assert sent.index("It broke.") < sent.index("and hurry")


def test_ids_of_bedrock_calls_are_made_legal_alike_in_call_and_result(house):
    long = "tooluse_" + "x.y:z" * 11
    *events, _ = house.ask(a_round(result(long, {"text": "found"}), calls=(long,)))
    assert said(events)


def test_a_call_that_reuses_an_id_of_the_history_gets_one_of_its_own(house):
    house.server.script.push(CallTool("search", {"q": "more"}, call_id="t1"))
    *_, last = house.ask(a_round(result("t1", {"text": "found"})))
    assert last.content[-1]["toolUse"]["toolUseId"] not in ("t1", "")


def test_an_image_reaches_a_model_and_a_document_leaves_at_least_a_note(house):
    blocks = [
        {"image": {"format": "png", "source": {"bytes": PIXEL}}},
        {"document": {"format": "txt", "name": "notes", "source": {"bytes": b"salary 5000"}}},
        {"document": {"format": "docx", "name": "letter", "source": {"bytes": b"PK"}}},
        {"document": {"format": "pdf", "name": "cv", "source": {"bytes": b"%PDF-1.4"}}},
    ]
    *events, _ = house.ask(a_request(messages=[{"role": "user", "content": [{"text": "look"}, *blocks]}]))
    assert said(events)
    sent = str(house.server.chats[-1].body)
    assert "salary 5000" in sent
    assert "cannot read docx files" in sent
    assert ("application/pdf" in sent) is (house.name in ("openai", "anthropic", "google"))
    assert "image/png" in sent


def test_a_call_cut_by_max_tokens_must_not_run(house):
    if house.name == "google":
        pytest.skip("Gemini sends calls whole")
    house.server.script.push(CallTool("search", {"q": "a long question"}, call_id="t1"), StopAt("max_tokens", True))
    *_, last = house.ask(a_request(toolConfig={"tools": [SEARCH]}))
    assert last.stop_reason == "max_tokens"
    assert last.invalid_calls.keys() == {"t1"}


def test_malformed_arguments_are_an_invalid_call(house):
    if house.name == "google":
        pytest.skip("Gemini sends arguments as an object")
    house.server.script.push(CallTool("search", call_id="t1", raw='{"q": "un'))
    *_, last = house.ask(a_request(toolConfig={"tools": [SEARCH]}))
    assert last.invalid_calls.keys() == {"t1"}
    assert "not valid JSON" in last.invalid_calls["t1"]


@pytest.mark.parametrize("reason", ["max_tokens", "content_filtered"])
def test_why_an_answer_stopped_is_told_in_converses_words(house, reason):
    house.server.script.push(Say(SPEECH), StopAt(reason))
    *_, last = house.ask(a_request())
    assert last.stop_reason == reason


def test_a_forced_tool_and_sampling_reach_the_server(house):
    choice = {"tools": [SEARCH], "toolChoice": {"tool": {"name": "search"}}}
    inference = {"maxTokens": 321, "temperature": 0.25, "stopSequences": ["END"]}
    house.server.script.push(CallTool("search"))
    *_, last = house.ask(a_request(toolConfig=choice, inferenceConfig=inference))
    assert last.stop_reason == "tool_use"
    sent = str(house.server.chats[-1].body)
    assert all(value in sent for value in ("321", "0.25", "END"))


def test_another_thread_stops_a_waiting_reader_and_nothing_is_left(house):
    from local.bedrock.script import Hang

    house.server.script.push(Say(SPEECH), Hang(after_chunks=2))
    before = threading.active_count()
    answer = house.ask(a_request(), read_timeout=30)
    next(answer)
    closer = threading.Timer(0.1, answer.close)
    closer.start()
    started = time.monotonic()
    rest = list(answer)
    closer.join()
    assert not any(isinstance(event, Finished) for event in rest)
    assert time.monotonic() - started < 10
    assert threading.active_count() <= before + 1, "the server's thread may still be seeing us go"
    with pytest.raises(RuntimeError):
        asyncio.get_running_loop()


def test_an_answer_that_is_not_read_to_its_end_frees_its_connection(house):
    house.server.script.push(Say(SPEECH * 20))
    answer = house.ask(a_request())
    next(answer)
    answer._events.close()
    *events, _ = house.ask(a_request())
    assert said(events)


def test_a_key_is_sent_where_it_belongs_and_nowhere_else(house):
    list(house.ask(a_request()))
    asked = house.server.chats[-1]
    assert RIGHT_KEY in str(asked.headers)
    assert RIGHT_KEY not in asked.path
    assert RIGHT_KEY not in str(asked.body)
