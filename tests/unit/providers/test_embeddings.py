"""Vectors by spec, over HTTP."""

import socket

import pytest
from pydantic import SecretStr

from rolecall.llm import client, embeddings
from rolecall.llm.access import Access
from rolecall.llm.embeddings import embed, together
from rolecall.llm.errors import ModelError, ModelErrorKind
from tests.fakes.model_servers import RIGHT_KEY

TEXTS = ["senior python developer", "experienced python programmer", "fish soup"]


def access_to(house, key=RIGHT_KEY):
    return Access(api_key=SecretStr(key), base_url=house.server.url + house.path)


def dot(left, right):
    return sum(a * b for a, b in zip(left, right, strict=True))


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("openai", "openai:text-embedding-3-small"),
        ("ollama", "ollama:mxbai-embed-large"),
        ("google", "google:gemini-embedding-001"),
    ],
)
def test_vectors_come_in_one_call_in_order_and_of_length_one(name, model, request):
    house = request.getfixturevalue(name)
    one, near, far = embed(TEXTS, model=model, access=access_to(house))
    assert len(one) == 1024
    assert sum(x * x for x in one) == pytest.approx(1)
    assert dot(one, near) > dot(one, far)
    assert len(house.server.asked) == 1
    assert ("dimensions" in house.server.asked[0].body) is (name != "ollama")


def test_titan_takes_one_text_a_call_and_others_ten():
    assert together("amazon.titan-embed-text-v2:0") == 1
    assert together("openai:text-embedding-3-small") == 10


def failing(model, access, texts=TEXTS):
    with pytest.raises(ModelError) as caught:
        embed(texts, model=model, access=access)
    return caught.value


def test_a_model_of_another_dimension_is_refused_in_words(openai):
    error = failing("openai:text-embedding-ada-002", access_to(openai))
    assert error.kind is ModelErrorKind.VALIDATION
    assert "1536 numbers; 1024 are needed" in error.message


def test_a_wrong_key_and_an_unknown_model_are_told_apart(openai):
    error = failing("openai:text-embedding-3-small", access_to(openai, "sk-wrong-1"))
    assert error.kind is ModelErrorKind.ACCESS
    assert "OPENAI_API_KEY" in error.recovery_hint
    assert "sk-wrong-1" not in f"{error!r}{error.detail}{error.recovery_hint}"
    assert "knows no embedding model" in failing("openai:text-embedding-9", access_to(openai)).message


def test_a_blank_text_is_refused_before_anything_is_sent(openai):
    assert failing("openai:text-embedding-3-small", access_to(openai), ["a", " "]).kind is ModelErrorKind.VALIDATION
    assert not openai.server.asked


def test_no_server_is_tried_again_and_then_said_to_be_unreachable(monkeypatch):
    monkeypatch.setattr(client, "FIRST_DELAY_SECONDS", 0.001)
    monkeypatch.setattr(embeddings, "ATTEMPTS", 2)
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
    error = failing("ollama:mxbai-embed-large", Access(base_url=f"http://127.0.0.1:{port}"))
    assert error.kind is ModelErrorKind.UNAVAILABLE
    assert "Ollama cannot be reached" in error.message
