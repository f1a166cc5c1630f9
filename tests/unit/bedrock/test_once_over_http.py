"""A side call over HTTP: one text, bounded in tries and in time."""

import time

import pytest

from local.bedrock.answer import Say, Think
from local.bedrock.script import Delay, Fail, StreamError, Throttle
from rolecall.errors import RolecallError
from rolecall.llm.access import Access
from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.once import complete_text
from rolecall.llm.specs import parse_spec

SPEC = parse_spec("bedrock:rolecall.offline-v1")


def ask(**changes):
    asked = {"system": "Be brief.", "prompt": "Hello", "max_tokens": 100, "access": Access(region="eu-north-1")}
    return complete_text(SPEC, **(asked | changes))


def test_a_side_call_gives_its_text_and_its_tokens(endpoint):
    endpoint.script.push(Think("Hm."), Say("  Fine. \n"))
    done = ask()
    assert done.text == "Fine."
    assert done.usage.input_tokens > 0
    assert done.usage.output_tokens > 0
    assert endpoint.requests[-1].body["system"] == [{"text": "Be brief."}]
    assert "toolConfig" not in endpoint.requests[-1].body


def test_a_whole_conversation_may_be_the_prompt(endpoint):
    said = [{"role": "user", "content": [{"text": "What did I say before?"}]}]
    assert "first message" in ask(prompt=said).text


def test_a_busy_model_and_a_broken_stream_are_asked_once_more(endpoint):
    for fault in (Throttle(), StreamError(after_chunks=1)):
        endpoint.script.push(Say("one two three four"), fault)
        endpoint.script.push(Say("Again."))
        assert ask().text == "Again."


def test_it_gives_up_after_its_tries(endpoint):
    endpoint.script.push(Throttle(times=2))
    with pytest.raises(ModelError) as given_up:
        ask()
    assert given_up.value.kind is ModelErrorKind.THROTTLED
    assert isinstance(given_up.value, RolecallError)


def test_a_refusal_is_not_repeated(endpoint):
    endpoint.script.push(Fail("ValidationException", 400, "Input is too long for requested model."))
    with pytest.raises(ModelError) as refused:
        ask()
    assert refused.value.kind is ModelErrorKind.TOO_LONG


def test_a_slow_answer_is_cut_off_in_time(endpoint):
    endpoint.script.push(Say("word " * 400))
    endpoint.chunk_delay = 0.05
    started = time.monotonic()
    try:
        with pytest.raises(ModelError) as late:
            ask(seconds=0.3, max_tokens=4000)
    finally:
        endpoint.chunk_delay = 0.0
    assert late.value.kind is ModelErrorKind.TIMEOUT
    assert time.monotonic() - started < 5


def test_a_silent_model_is_waited_for_no_longer_than_the_read_time_out(endpoint):
    endpoint.script.push(Delay(3), Say("Late."))
    with pytest.raises(ModelError) as silent:
        ask(read_timeout=0.2, attempts=1)
    assert silent.value.kind is ModelErrorKind.TIMEOUT


def test_an_answer_without_text_is_an_error(endpoint):
    endpoint.script.push(Think("Only thoughts."))
    with pytest.raises(ModelError, match="no answer"):
        ask()
