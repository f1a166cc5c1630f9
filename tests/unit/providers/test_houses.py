"""What one provider does and another does not."""

import pytest

from local.bedrock.answer import CallTool, Say, Think, signature
from rolecall.llm.access import Access
from rolecall.llm.addresses import openai_compatible
from rolecall.llm.capabilities import with_thinking
from rolecall.llm.client import converse_stream
from rolecall.llm.registry import registered
from rolecall.llm.specs import ModelSpec
from tests.unit.providers.conftest import said
from tests.unit.providers.test_answers import SEARCH, a_request, a_round, result


def thought(text, signed=None):
    return {"reasoningContent": {"reasoningText": {"text": text, "signature": signed or signature(text)}}}


def test_all_of_them_are_registered_by_lying_in_the_folder():
    assert {"bedrock", "openai", "anthropic", "google", "google-gla", "ollama", "vllm"} <= registered()


def test_anthropic_gets_its_reasoning_back_with_its_signature(anthropic):
    request = a_round(result("t1", {"text": "found"}), before=[thought("Hm.")])
    *events, last = anthropic.ask(with_thinking(request, "claude-haiku-4-5", budget=1024))
    assert said(events)
    assert anthropic.server.chats[-1].body["thinking"] == {"type": "enabled", "budget_tokens": 1024}
    assert "rolecall-offline-3" in str(anthropic.server.chats[-1].body)
    assert last.stop_reason == "end_turn"


def test_redacted_reasoning_goes_back_as_it_came(anthropic):
    sealed = {"reasoningContent": {"redactedContent": b"c2VhbGVk"}}
    request = a_round(result("t1", {"text": "found"}), before=[sealed])
    *events, _ = anthropic.ask(with_thinking(request, "claude-haiku-4-5", budget=1024))
    assert said(events)
    assert {"type": "redacted_thinking", "data": "c2VhbGVk"} in anthropic.server.chats[-1].body["messages"][1][
        "content"
    ]


def test_what_anthropic_thinks_can_be_sent_back(anthropic):
    anthropic.server.script.push(Think("Let me look."), CallTool("search", {"q": "x"}, call_id="t1"))
    *_, last = anthropic.ask(with_thinking(a_request(toolConfig={"tools": [SEARCH]}), "claude-haiku-4-5", budget=1024))
    request = a_round(result("t1", {"text": "found"}), before=last.content[:1])
    *events, _ = anthropic.ask(with_thinking(request, "claude-haiku-4-5", budget=1024))
    assert said(events)


@pytest.mark.parametrize("other", ["openai", "google", "ollama"])
def test_reasoning_of_another_house_is_not_sent(other, request):
    house = request.getfixturevalue(other)
    *events, _ = house.ask(a_round(result("t1", {"text": "found"}), before=[thought("A secret thought.")]))
    assert said(events)
    assert "secret thought" not in str(house.server.chats[-1].body)


def test_cache_points_become_anthropics_and_nobody_elses(anthropic, openai):
    point = {"cachePoint": {"type": "default"}}
    request = a_request(
        system=[{"text": "Be kind."}, point],
        messages=[{"role": "user", "content": [{"text": "hello"}, point, {"text": "now"}]}],
        toolConfig={"tools": [SEARCH, point]},
    )
    for house in (anthropic, openai):
        *events, _ = house.ask(request)
        assert said(events)
    sent = anthropic.server.chats[-1].body
    assert all("cache_control" in str(sent[part]) for part in ("system", "messages", "tools"))
    assert "cache" not in str(openai.server.chats[-1].body["messages"])


def test_a_reasoning_model_of_openai_gets_an_effort_and_no_temperature(openai):
    request = a_request(inferenceConfig={"maxTokens": 500, "temperature": 0.2})
    openai.server.script.push(Say("Hm."))
    *events, _ = openai.ask(with_thinking(request, "gpt-5-mini", budget=2048), model="gpt-5-mini")
    assert said(events) == "Hm."
    sent = openai.server.chats[-1].body
    assert sent["reasoning_effort"]
    assert "temperature" not in sent


def test_a_model_of_openai_without_thinking_asked_for_is_sent_no_temperature_either(openai):
    *events, _ = openai.ask(a_request(inferenceConfig={"maxTokens": 500, "temperature": 0.2}), model="gpt-5-mini")
    assert said(events)


def test_gemini_is_asked_for_its_thoughts(google):
    *_, last = google.ask(with_thinking(a_request(), "gemini-2.5-flash", budget=2048))
    assert last.stop_reason == "end_turn"
    assert "thoughts" in str(google.server.chats[-1].body["generationConfig"]["thinkingConfig"]).lower()


def test_gemini_three_takes_calls_whose_signature_another_model_never_made(google):
    *events, _ = google.ask(a_round(result("t1", {"text": "found"})), model="gemini-3-pro-preview")
    assert said(events)


def test_ollamas_address_is_found_with_or_without_its_path():
    for given in ("http://box:11434", "http://box:11434/", "http://box:11434/v1/"):
        assert openai_compatible("ollama", given) == "http://box:11434/v1"
    assert openai_compatible("ollama", None) == "http://127.0.0.1:11434/v1"


def test_a_key_does_not_show_in_an_access():
    from pydantic import SecretStr

    assert "sk-x" not in repr(Access(api_key=SecretStr("sk-x")))


def test_a_server_of_ones_own_that_speaks_openais_api_is_asked_without_a_key(ollama):
    access = Access(base_url=f"{ollama.server.url}/v1")
    *events, _ = converse_stream(ModelSpec("openai", "llama3.2"), a_request(), access=access)
    assert said(events)
