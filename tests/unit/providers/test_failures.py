"""What goes wrong with a provider: whose fault it is, what to do, and no key in what is said."""

import socket

import pytest
from pydantic import SecretStr

from local.bedrock.answer import Say
from local.bedrock.script import Fail, Hang, StreamError, Throttle, TruncateStream
from rolecall.llm import registry
from rolecall.llm.access import Access
from rolecall.llm.client import converse_stream
from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.specs import ModelSpec, parse_spec
from tests.unit.providers.conftest import said
from tests.unit.providers.test_answers import SPEECH, a_request, a_round, result

WRONG = "sk-wrong-9876543210"


def failing(stream):
    """What was said, and the error that it ended in."""
    events = []
    try:
        for event in stream:
            events.append(event)
    except ModelError as error:
        return said(events), error
    raise AssertionError(f"it did not fail: {events}")


def unmended(house, request):
    """Ask past the gate that mends requests."""
    spec = parse_spec(house.spec)
    return registry.provider(spec.provider).open_stream(spec.model, request, access=house.access(), read_timeout=10)


def test_a_wrong_key_says_whose_key_to_check_and_does_not_quote_it(house):
    if house.name == "ollama":
        pytest.skip("asks for no key")
    _, error = failing(house.ask(a_request(), key=WRONG))
    assert error.kind is ModelErrorKind.ACCESS
    assert "refused the API key" in error.message
    assert "Check the API key of" in error.recovery_hint
    assert WRONG not in f"{error!r} {error.message} {error.detail} {error.recovery_hint} {error.__cause__}"
    assert len(house.server.chats) == 1, "a refusal is not retried"


@pytest.mark.parametrize(
    ("provider", "variable"),
    [("openai", "OPENAI_API_KEY"), ("anthropic", "ANTHROPIC_API_KEY"), ("google", "GOOGLE_API_KEY")],
)
def test_no_key_at_all_names_the_variable_and_asks_nobody(provider, variable, monkeypatch):
    monkeypatch.setenv(variable, "sk-of-somebody-else")
    _, error = failing(converse_stream(ModelSpec(provider, "m"), a_request(), access=Access()))
    assert error.kind is ModelErrorKind.ACCESS
    assert variable in error.recovery_hint


@pytest.mark.parametrize(
    ("step", "kind"),
    [
        (Throttle(times=2), ModelErrorKind.THROTTLED),
        (Fail(status=503, times=2), ModelErrorKind.UNAVAILABLE),
        (Fail(status=400, message="no such field"), ModelErrorKind.VALIDATION),
        (Fail(status=400, message="The prompt is too long: 9 tokens"), ModelErrorKind.TOO_LONG),
    ],
)
def test_a_refusal_has_its_kind_and_only_what_may_pass_is_tried_again(house, step, kind):
    house.server.script.push(step)
    _, error = failing(house.ask(a_request(), attempts=2))
    assert error.kind is kind
    assert len(house.server.chats) == (2 if error.retryable else 1)


def test_throttling_is_waited_out(house):
    house.server.script.push(Throttle(times=2))
    *events, _ = house.ask(a_request())
    assert said(events)


def test_a_model_that_is_not_there_is_named(house):
    _, error = failing(house.ask(a_request(), model="none-such"))
    assert error.kind is ModelErrorKind.VALIDATION
    assert "knows no model 'none-such'" in error.message


@pytest.mark.parametrize("fault", [StreamError(2), TruncateStream(2), TruncateStream(2, mid_frame=True)])
def test_a_socket_closed_in_mid_word_is_no_end_of_an_answer_and_nothing_is_said_twice(house, fault):
    house.server.script.push(Say(SPEECH), fault)
    text, error = failing(house.ask(a_request()))
    assert error.kind in (ModelErrorKind.STREAM, ModelErrorKind.UNAVAILABLE)
    assert text == "One, two,"
    assert len(house.server.chats) == 1


def test_a_stream_that_breaks_before_its_first_word_is_asked_for_again(house):
    house.server.script.push(Say(SPEECH), TruncateStream(0, mid_frame=True))
    house.server.script.push(Say(SPEECH))
    *events, _ = house.ask(a_request())
    assert said(events) == SPEECH


def test_a_hanging_server_times_out(house):
    house.server.script.push(Say(SPEECH), Hang(after_chunks=2))
    text, error = failing(house.ask(a_request(), read_timeout=0.5))
    assert error.kind is ModelErrorKind.TIMEOUT
    assert text == "One, two,"


def test_a_server_that_is_not_there_says_where_it_was_looked_for(house):
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    access = Access(api_key=SecretStr("sk-x"), base_url=f"http://127.0.0.1:{port}{house.path}")
    spec = ModelSpec(house.spec.partition(":")[0], "qwen3")
    _, error = failing(converse_stream(spec, a_request(), access=access, attempts=1))
    assert error.kind is ModelErrorKind.UNAVAILABLE
    assert f"127.0.0.1:{port}" in error.message
    assert "Check that it runs" in error.recovery_hint


def test_a_call_without_its_result_is_refused_as_the_real_one_refuses_it(house):
    _, error = failing(unmended(house, a_round({"text": "never mind"})))
    assert error.kind is ModelErrorKind.VALIDATION


def test_a_result_without_its_call_is_refused_as_the_real_one_refuses_it(house):
    request = a_request(messages=[{"role": "user", "content": [result("t9", {"text": "found"})]}])
    _, error = failing(unmended(house, request))
    assert error.kind is ModelErrorKind.VALIDATION
