"""Whether a model's server is there, within the time given."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
from pydantic import SecretStr

from rolecall.llm import probe as probing
from rolecall.llm.access import Access
from rolecall.llm.offers import no_answer
from rolecall.llm.probe import probe
from tests.fakes.model_servers import RIGHT_KEY, Anthropic, Google, ModelServer, Ollama, OpenAI


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    probing.forget()
    yield
    probing.forget()


def access(url, key=RIGHT_KEY):
    return Access(api_key=SecretStr(key) if key else None, base_url=url)


@pytest.mark.parametrize(
    ("provider", "dialect", "path", "model"),
    [
        ("openai", OpenAI, "/v1", "gpt-4.1"),
        ("vllm", OpenAI, "/v1", "gpt-4.1"),
        ("ollama", Ollama, "/v1", None),
        ("ollama", Ollama, "", None),
        ("anthropic", Anthropic, "", None),
        ("google", Google, "", None),
    ],
)
def test_a_server_tells_its_models_to_whoever_has_the_key(provider, dialect, path, model):
    with ModelServer(dialect()) as server:
        found = probe(provider, access(f"{server.url}{path}"))
        wrong = probe(provider, access(f"{server.url}{path}", "sk-wrong"))
    assert found.status == "ok"
    assert found.models
    assert model is None or model in found.models
    assert wrong.status == ("ok" if provider == "ollama" else "refused"), "Ollama asks for no key"


def test_where_nobody_listens_it_says_so_and_what_to_do():
    found = probe("ollama", access("http://127.0.0.1:9/v1", None))
    assert found.status == "unreachable"
    assert no_answer("ollama", found.address) == "No server answers at http://127.0.0.1:9/v1. Start it: `ollama serve`."


@contextmanager
def a_server_that(sends: bytes, every: float) -> Iterator[str]:
    """Accept, and send so much now and then, for ever."""
    listener = socket.create_server(("127.0.0.1", 0))
    done = threading.Event()

    def serve() -> None:
        listener.settimeout(0.1)
        conns = []
        while not done.is_set():
            with suppress(TimeoutError):
                conns.append(listener.accept()[0])
            for conn in conns:
                with suppress(OSError):
                    conn.sendall(sends)
            done.wait(every)
        for conn in conns:
            conn.close()

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}/v1"
    finally:
        done.set()
        thread.join()
        listener.close()


@pytest.mark.parametrize(
    "sends", [b"", b"HTTP/1.1 200 OK\r\ncontent-length: 999999\r\n\r\n", b"not http\r\n\r\n", b"\x00" * 10]
)
def test_a_server_that_says_nothing_of_use_costs_no_more_than_its_time(sends):
    with a_server_that(sends, 0.05) as url:
        began = time.monotonic()
        found = probe("openai", access(url), timeout=0.5)
    assert found.status == "unreachable"
    assert time.monotonic() - began < 10


def test_a_redirect_is_not_followed():
    with ModelServer(OpenAI()) as target:
        head = f"HTTP/1.1 302 Found\r\nlocation: {target.url}/v1/models\r\ncontent-length: 0\r\n\r\n"
        with a_server_that(head.encode(), 1) as url:
            assert probe("openai", access(url)).status == "unreachable"
        assert target.asked == []


def test_an_answer_is_kept_for_a_moment_and_for_one_key_alone():
    with ModelServer(OpenAI()) as server:
        for key in (RIGHT_KEY, RIGHT_KEY, "sk-wrong", RIGHT_KEY):
            probe("openai", access(f"{server.url}/v1", key))
        assert len(server.asked) == 2
        probe("openai", access(f"{server.url}/v1"), fresh=True)
        assert len(server.asked) == 3


@pytest.mark.parametrize(
    "body", [[], {}, {"data": None}, {"data": [1, {"id": 2}, {"id": ""}]}, {"models": {"a": 1}}, "x"]
)
def test_a_list_that_is_none_is_no_models(body):
    assert probing._ids(body) == []
