"""Each provider with a server that speaks its API."""

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import SecretStr

from rolecall.llm import client
from rolecall.llm.access import Access
from rolecall.llm.client import ModelStream, converse_stream
from rolecall.llm.specs import parse_spec
from rolecall.llm.stream import TextDelta
from tests.fakes.model_servers import RIGHT_KEY, Anthropic, Google, ModelServer, Ollama, OpenAI

HOUSES = {
    "openai": ("openai:gpt-4.1", "/v1"),
    "vllm": ("vllm:gpt-4.1", "/v1"),
    "ollama": ("ollama:qwen3", ""),
    "anthropic": ("anthropic:claude-haiku-4-5", ""),
    "google": ("google-gla:gemini-2.5-flash", ""),
}


@dataclass(frozen=True)
class House:
    """A provider's server, and how it is asked."""

    name: str
    server: ModelServer
    spec: str
    path: str

    def access(self, key: str = RIGHT_KEY) -> Access:
        return Access(api_key=SecretStr(key), base_url=self.server.url + self.path)

    def ask(self, request: Any, *, model: str | None = None, key: str = RIGHT_KEY, **rest: Any) -> ModelStream:
        spec = parse_spec(f"{self.spec.partition(':')[0]}:{model}" if model else self.spec)
        return converse_stream(spec, request, access=self.access(key), **rest)


@pytest.fixture(scope="session")
def _servers():
    dialects = {"openai": OpenAI(), "ollama": Ollama(), "anthropic": Anthropic(), "google": Google()}
    servers = {name: ModelServer(dialect) for name, dialect in dialects.items()}
    for server in servers.values():
        server.__enter__()
    yield servers
    for server in servers.values():
        server.__exit__()


def house_named(name: str, servers: dict[str, ModelServer]) -> House:
    server = servers["openai" if name == "vllm" else name]
    server.asked.clear()
    server.script.clear()
    return House(name, server, *HOUSES[name])


@pytest.fixture(params=HOUSES)
def house(request, _servers, monkeypatch):
    monkeypatch.setattr(client, "FIRST_DELAY_SECONDS", 0.001)
    made = house_named(request.param, _servers)
    yield made
    assert len(made.server.script) == 0, "a scripted step was never reached"


@pytest.fixture
def openai(_servers, monkeypatch):
    monkeypatch.setattr(client, "FIRST_DELAY_SECONDS", 0.001)
    return house_named("openai", _servers)


@pytest.fixture
def anthropic(_servers):
    return house_named("anthropic", _servers)


@pytest.fixture
def google(_servers):
    return house_named("google", _servers)


@pytest.fixture
def ollama(_servers):
    return house_named("ollama", _servers)


def said(events: Any) -> str:
    return "".join(event.text for event in events if isinstance(event, TextDelta))
