import json
import threading
import time

import pytest

from local.bedrock.answer import CallTool, Say, Think
from local.bedrock.script import Delay, Fail, Hang, StopAt, StreamError, Throttle, TruncateStream
from rolecall.llm.access import Access
from rolecall.llm.client import converse_once, converse_stream
from rolecall.llm.embeddings import embed
from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.providers import bedrock
from rolecall.llm.providers.bedrock import runtime_client
from rolecall.llm.specs import ModelSpec
from rolecall.llm.stream import Finished, ReasoningDelta, Restarted, TextDelta, ToolUseStarted

REGION = "eu-north-1"
ACCESS = Access(region=REGION)
OFFLINE = ModelSpec("bedrock", "rolecall.offline-v1")
CLAUDE = ModelSpec("bedrock", "eu.anthropic.claude-haiku-4-5-20251001-v1:0")
SPEECH = "One, two, three, four, five, six, seven."


def a_request(text="hello", **rest):
    return {"messages": [{"role": "user", "content": [{"text": text}]}], **rest}


def stream(spec=OFFLINE, request=None, **rest):
    return converse_stream(spec, request or a_request(), access=ACCESS, **rest)


def said(events):
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def collect(into, events):
    for event in events:
        into.append(event)


def test_text_reasoning_and_calls_arrive_in_order_with_usage(endpoint):
    call = CallTool("search", {"q": "café ☕"}, call_id="t1")
    endpoint.script.push(Think("Let me look."), Say(SPEECH), call, CallTool("list_all", call_id="t2"))
    *events, last = stream()
    assert said(events) == SPEECH
    assert "".join(e.text for e in events if isinstance(e, ReasoningDelta)) == "Let me look."
    assert [e for e in events if isinstance(e, ToolUseStarted)] == [
        ToolUseStarted("t1", "search"),
        ToolUseStarted("t2", "list_all"),
    ]
    assert last.stop_reason == "tool_use"
    assert [next(iter(block)) for block in last.content] == ["reasoningContent", "text", "toolUse", "toolUse"]
    assert last.content[0]["reasoningContent"]["reasoningText"]["signature"]
    assert last.content[2]["toolUse"] == {"toolUseId": "t1", "name": "search", "input": {"q": "café ☕"}}
    assert last.usage.input_tokens > 0
    assert last.usage.output_tokens > 0


def test_a_claude_id_with_a_colon_answers_as_the_offline_model(endpoint):
    *events, last = stream(CLAUDE)
    assert "offline model" in said(events)
    assert last.stop_reason == "end_turn"
    assert endpoint.requests[-1].model_id == CLAUDE.model


def test_a_model_that_is_not_there_is_refused_as_bedrock_does(endpoint):
    client = runtime_client(REGION, 5)
    with pytest.raises(client.exceptions.ValidationException, match="The provided model identifier is invalid"):
        client.converse(modelId="meta.llama-99", messages=a_request()["messages"])
    with pytest.raises(ModelError, match=r"knows no model 'meta\.llama-99'"):
        next(stream(ModelSpec("bedrock", "meta.llama-99")))


WELCOME = {"messages": [{"role": "assistant", "content": [{"text": "Welcome!"}]}]}


def test_an_illegal_request_is_refused_by_the_service(endpoint):
    with pytest.raises(ModelError) as caught:
        bedrock.open_stream(OFFLINE.model, WELCOME, access=ACCESS, read_timeout=5)
    assert caught.value.kind is ModelErrorKind.VALIDATION
    assert "must start with a user message" in caught.value.detail


@pytest.mark.parametrize("converse", [converse_stream, converse_once])
def test_an_illegal_request_is_repaired_counted_and_answered(endpoint, converse, capsys):
    answer = converse(OFFLINE, WELCOME, access=ACCESS)
    finished = answer if isinstance(answer, Finished) else list(answer)[-1]

    assert finished.content
    (request,) = endpoint.requests
    assert [message["role"] for message in request.body["messages"]] == ["user", "assistant", "user"]
    assert request.body["messages"][1] == WELCOME["messages"][0]
    counted = [json.loads(line) for line in capsys.readouterr().out.splitlines() if "_aws" in line]
    assert {line["rule"]: line["ModelRequestRepaired"] for line in counted} == {
        "first_is_user": [1],
        "last_is_user": [1],
    }


def test_throttling_is_waited_out(endpoint):
    endpoint.script.push(Throttle(times=3))
    *events, _ = stream()
    assert said(events)
    assert len(endpoint.requests) == 4


def test_throttling_that_does_not_end_says_that_the_model_is_busy(endpoint):
    endpoint.script.push(Throttle(times=2))
    with pytest.raises(ModelError, match="The model is busy") as caught:
        list(stream(attempts=2))
    assert caught.value.kind is ModelErrorKind.THROTTLED


@pytest.mark.parametrize(
    ("code", "status", "kind"),
    [
        ("AccessDeniedException", 403, ModelErrorKind.ACCESS),
        ("ModelTimeoutException", 408, ModelErrorKind.TIMEOUT),
        ("ResourceNotFoundException", 404, ModelErrorKind.VALIDATION),
        ("SomethingNewException", 418, ModelErrorKind.UNKNOWN),
    ],
)
def test_an_error_that_will_not_pass_is_not_retried(endpoint, code, status, kind):
    endpoint.script.push(Fail(code, status, "no"))
    with pytest.raises(ModelError) as caught:
        list(stream())
    assert caught.value.kind is kind
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("fault", [StreamError(2), TruncateStream(2), TruncateStream(2, mid_frame=True)])
def test_text_that_was_yielded_is_never_yielded_again(endpoint, fault):
    endpoint.script.push(Say(SPEECH), fault)
    events = []
    with pytest.raises(ModelError) as caught:
        collect(events, stream())
    assert caught.value.kind is ModelErrorKind.STREAM
    assert said(events) == "One, two,"
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize(
    "fault", [StreamError(0, "throttlingException"), StreamError(0), TruncateStream(0), TruncateStream(0, True)]
)
def test_a_stream_that_breaks_before_its_first_word_is_asked_for_again(endpoint, fault):
    endpoint.script.push(Say(SPEECH), fault)
    endpoint.script.push(Say(SPEECH))
    *events, last = stream()
    assert said(events) == SPEECH
    assert isinstance(last, Finished)


def test_a_side_call_is_repeated_even_after_a_broken_half(endpoint):
    endpoint.script.push(Say(SPEECH), StreamError(3))
    endpoint.script.push(Say("A title"))
    assert converse_once(OFFLINE, a_request(), access=ACCESS).content == [{"text": "A title"}]


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("throttlingException", ModelErrorKind.THROTTLED),
        ("internalServerException", ModelErrorKind.UNAVAILABLE),
        ("serviceUnavailableException", ModelErrorKind.UNAVAILABLE),
        ("validationException", ModelErrorKind.VALIDATION),
    ],
)
def test_an_error_event_is_named(endpoint, name, kind):
    endpoint.script.push(Say(SPEECH), StreamError(1, name))
    with pytest.raises(ModelError) as caught:
        list(stream())
    assert caught.value.kind is kind


def test_a_call_cut_by_max_tokens_is_invalid_and_empty(endpoint):
    call = CallTool("search", {"q": "a long question"}, call_id="t1")
    endpoint.script.push(call, StopAt("max_tokens", inside_tool=True))
    *_, last = stream()
    assert last.stop_reason == "max_tokens"
    assert last.invalid_calls.keys() == {"t1"}
    assert last.content == [{"toolUse": {"toolUseId": "t1", "name": "search", "input": {}}}]


def test_max_tokens_of_the_request_is_respected(endpoint):
    endpoint.script.push(Say(SPEECH))
    *events, last = stream(request=a_request(inferenceConfig={"maxTokens": 3}))
    assert last.stop_reason == "max_tokens"
    assert 0 < last.usage.output_tokens <= 3
    assert SPEECH.startswith(said(events))


def test_a_silent_model_times_out(endpoint):
    endpoint.script.push(Say(SPEECH), Hang(after_chunks=2))
    events = []
    with pytest.raises(ModelError) as caught:
        collect(events, stream(read_timeout=0.2))
    assert caught.value.kind is ModelErrorKind.TIMEOUT
    assert said(events) == "One, two,"


def test_another_thread_can_stop_a_waiting_stream(endpoint):
    endpoint.script.push(Say(SPEECH), Hang(after_chunks=2))
    answer = stream()
    first = [next(answer), next(answer)]
    closer = threading.Timer(0.1, answer.close)
    closer.start()
    started = time.monotonic()
    rest = list(answer)
    closer.join()
    assert said(first) == "One, two,"
    assert rest == []
    assert time.monotonic() - started < 5


def test_a_stream_closed_before_it_began_asks_nothing(endpoint):
    answer = stream()
    answer.close()
    assert list(answer) == []
    assert not endpoint.requests


def test_closing_an_ended_stream_does_nothing(endpoint):
    answer = stream()
    assert isinstance(list(answer)[-1], Finished)
    answer.close()


def test_no_server_is_a_model_that_is_not_available(endpoint, monkeypatch):
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", "http://127.0.0.1:9")
    with pytest.raises(ModelError) as caught:
        list(stream(attempts=2))
    assert caught.value.kind is ModelErrorKind.UNAVAILABLE


def test_a_delay_is_kept(endpoint):
    endpoint.script.push(Delay(0.1), Say("late"))
    started = time.monotonic()
    assert said(stream()) == "late"
    assert time.monotonic() - started >= 0.1


def test_a_step_waits_for_the_request_it_is_meant_for(endpoint):
    endpoint.script.push(Say("for you"), when=lambda body: "you" in body["messages"][-1]["content"][0]["text"])
    assert said(stream()) != "for you"
    assert said(stream(request=a_request("you there"))) == "for you"


def test_converse_and_the_stream_say_the_same(endpoint):
    parts = [Think("Hm."), Say(SPEECH), CallTool("search", {"q": "x"}, call_id="t1")]
    endpoint.script.push(*parts)
    endpoint.script.push(*parts)
    response = runtime_client(REGION, 5).converse(modelId=OFFLINE.model, **a_request())
    *_, last = stream()
    assert response["output"]["message"]["content"] == last.content
    assert response["stopReason"] == last.stop_reason


def test_embeddings_are_titans_shape_and_near_for_near_texts(endpoint):
    texts = ["senior python developer", "experienced python programmer", "fish soup"]
    one, near, far = embed(texts, model="amazon.titan-embed-text-v2:0", access=ACCESS)
    assert len(one) == 1024
    assert sum(x * x for x in one) == pytest.approx(1)
    assert dot(one, near) > dot(one, far)


def test_a_text_of_no_known_word_still_has_a_vector(endpoint):
    (vector,) = embed(["\u2063\ud800?"], model="amazon.titan-embed-text-v2:0", access=ACCESS)
    assert sum(x * x for x in vector) == pytest.approx(1)


def test_a_blank_text_is_refused(endpoint):
    with pytest.raises(ModelError) as caught:
        embed([""], model="amazon.titan-embed-text-v2:0", access=ACCESS)
    assert caught.value.kind is ModelErrorKind.VALIDATION


def dot(left, right):
    return sum(a * b for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize("fault", [StreamError(2, "throttlingException"), TruncateStream(2), TruncateStream(2, True)])
def test_a_stream_that_broke_before_its_text_starts_again_and_says_so(endpoint, fault):
    endpoint.script.push(Think("A first thought of many words."), Say(SPEECH), fault)
    endpoint.script.push(Think("A second."), Say(SPEECH))
    events = list(stream())
    at = events.index(Restarted())
    assert all(isinstance(event, ReasoningDelta) for event in events[:at])
    assert "".join(event.text for event in events[at:] if isinstance(event, ReasoningDelta)) == "A second."
    assert said(events) == SPEECH
    assert [block.keys() for block in events[-1].content] == [{"reasoningContent"}, {"text"}]


def test_a_stream_that_broke_after_a_call_began_starts_again(endpoint):
    endpoint.script.push(CallTool("search", {"q": "a long question of words"}, call_id="t1"), TruncateStream(2))
    endpoint.script.push(CallTool("search", {"q": "short"}, call_id="t2"))
    events = list(stream())
    assert [e.call_id for e in events if isinstance(e, ToolUseStarted)] == ["t1", "t2"]
    assert [block["toolUse"]["toolUseId"] for block in events[-1].content] == ["t2"]


def test_a_stream_that_breaks_for_ever_gives_up(endpoint):
    for _ in range(2):
        endpoint.script.push(Think("A thought of many words."), TruncateStream(2))
    with pytest.raises(ModelError):
        list(stream(attempts=2))
    assert len(endpoint.requests) == 2
