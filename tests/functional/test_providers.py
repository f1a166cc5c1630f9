"""One conversation, many houses: the tool history goes along, and each server checks it as the real one would."""

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from local.bedrock.answer import CallTool, Say
from local.bedrock.script import TruncateStream
from local.client import Client
from local.stack import Stack
from tests.fakes.model_servers import RIGHT_KEY, Anthropic, Google, ModelServer, Ollama, OpenAI

Rows = Callable[..., list[dict[str, Any]]]
HOUSES = {
    "openai": ("gpt-4.1", "/v1", OpenAI),
    "anthropic": ("claude-haiku-4-5", "", Anthropic),
    "google": ("gemini-3-pro-preview", "", Google),
    "ollama": ("qwen3", "/v1", Ollama),
}


@pytest.fixture
def serve(recruiter: Client) -> Iterator[Callable[[str], ModelServer]]:
    """Start a provider's server and store the key to it."""
    running: list[tuple[str, ModelServer]] = []

    def start(provider: str, key: str = RIGHT_KEY) -> ModelServer:
        _, path, dialect = HOUSES[provider]
        server = ModelServer(dialect()).__enter__()
        running.append((provider, server))
        recruiter.request("setModelCredential", provider=provider, apiKey=key, baseUrl=server.url + path)
        return server

    yield start
    for provider, server in running:
        recruiter.request("deleteModelCredential", provider=provider)
        server.__exit__()


def spec(provider: str) -> str:
    return f"{provider}:{HOUSES[provider][0]}"


def calls(events: list[dict[str, Any]]) -> list[str]:
    return [event["toolName"] for event in events if event["type"] == "ChatToolCall"]


def test_a_conversation_changes_its_model_and_comes_back_with_its_tool_history_intact(
    stack: Stack, recruiter: Client, conversation: str, serve: Callable[[str], ModelServer]
) -> None:
    first = list(recruiter.chat(conversation, "Who am I?"))
    assert calls(first) == ["get_me"]
    for number, provider in enumerate(HOUSES, 1):
        server = serve(provider)
        server.script.push(Say(f"Looking, as {provider}."), CallTool("get_me", call_id=f"call_{number}"))
        server.script.push(Say(f"Seen, by {provider}."))
        events = list(recruiter.chat(conversation, f"And now, {provider}?", model=spec(provider)))

        assert events[-1]["type"] == "ChatComplete", events[-1]
        assert calls(events) == ["get_me"]
        assert f"Seen, by {provider}." in events[-1]["content"]
        asked = server.chats[-1].body
        assert str(asked).count("get_me") >= 1 + number, "the calls of all the houses before are there"
    stack.bedrock.requests.clear()
    last = list(recruiter.chat(conversation, "Who am I?"))
    assert last[-1]["type"] == "ChatComplete", last[-1]
    history = stack.bedrock.requests[-1].body["messages"]
    used = [block["toolUse"]["toolUseId"] for m in history for block in m["content"] if "toolUse" in block]
    got = [block["toolResult"]["toolUseId"] for m in history for block in m["content"] if "toolResult" in block]
    assert used == got
    assert len(used) == len(set(used)) == 2 + len(HOUSES)


def test_a_socket_closed_in_mid_word_keeps_what_was_said_and_can_be_sent_again(
    recruiter: Client, conversation: str, serve: Callable[[str], ModelServer], rows: Rows
) -> None:
    server = serve("openai")
    server.script.push(Say("One two three four five six"), TruncateStream(3, mid_frame=True))
    events = list(recruiter.chat(conversation, "Count", model=spec("openai")))
    assert events[-1]["type"] == "ChatError"
    assert events[-1]["content"].startswith("One two three")
    assert events[-1]["recoveryHint"]
    (row,) = rows("SELECT status, content FROM agent_message WHERE id = %(id)s", id=events[-1]["turnId"])
    assert row["status"] == "FAILED"
    assert row["content"].startswith("One two three")
    server.script.push(Say("Fine now."))
    assert list(recruiter.chat(conversation, "Again", model=spec("openai")))[-1]["content"] == "Fine now."


def test_a_key_that_is_wrong_by_now_says_which_key_to_check(
    recruiter: Client, conversation: str, serve: Callable[[str], ModelServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    server = serve("openai")
    monkeypatch.setattr(server.dialect, "key", lambda _headers: "revoked")
    events = list(recruiter.chat(conversation, "Hello", model=spec("openai")))
    assert events[-1]["type"] == "ChatError"
    assert events[-1]["message"] == "OpenAI refused the API key."
    assert "Check the API key of OpenAI" in events[-1]["recoveryHint"]
