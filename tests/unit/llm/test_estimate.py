"""Estimates of tokens: near enough for budgets, and never less for more."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolecall.llm.estimate import FILE_TOKENS, IMAGE_TOKENS, request_tokens, text_tokens


def a_request(*blocks, **rest):
    return {"messages": [{"role": "user", "content": list(blocks)}], **rest}


@pytest.mark.parametrize(
    ("text", "least", "most"),
    [
        ("", 0, 0),
        ("The quick brown fox jumps over the lazy dog. " * 10, 100, 125),
        ("Jag söker en utvecklare i Umeå. " * 10, 80, 130),
        ("我正在寻找一位后端开发人员。" * 10, 130, 190),
        ("Ищу разработчика в Москве. " * 10, 150, 250),
        ("🙂" * 10, 10, 30),
    ],
)
def test_a_text_is_weighed_by_its_script(text, least, most):
    assert least <= text_tokens(text) <= most


@given(st.text(st.characters(codec=None)), st.text(st.characters(codec=None)))
def test_more_text_never_weighs_less(one, other):
    assert text_tokens(one + other) >= text_tokens(one) - 1


def test_everything_that_is_sent_counts():
    bare = request_tokens(a_request({"text": "hi"}))
    spec = {"toolSpec": {"name": "t", "description": "d" * 400, "inputSchema": {"json": {}}}}
    more = [
        a_request({"text": "hi"}, system=[{"text": "s" * 400}]),
        a_request({"text": "hi"}, toolConfig={"tools": [spec, {"cachePoint": {"type": "default"}}]}),
        a_request({"text": "hi"}, {"toolUse": {"toolUseId": "1", "name": "n", "input": {"a": "b" * 400}}}),
        a_request({"text": "hi"}, {"toolResult": {"toolUseId": "1", "content": [{"json": {"a": "b" * 400}}]}}),
        a_request({"text": "hi"}, {"reasoningContent": {"reasoningText": {"text": "r" * 400}}}),
    ]
    for request in more:
        assert request_tokens(request) >= bare + 100


def test_files_count_by_kind_and_size():
    image = a_request({"image": {"format": "png", "source": {"bytes": b"x"}}})
    assert IMAGE_TOKENS <= request_tokens(image) < IMAGE_TOKENS + 20
    text = a_request({"document": {"format": "txt", "name": "a", "source": {"bytes": b"x" * 4000}}})
    assert 1000 <= request_tokens(text) < 1050
    small = a_request({"document": {"format": "pdf", "name": "a", "source": {"bytes": b"x"}}})
    large = a_request({"document": {"format": "pdf", "name": "a", "source": {"bytes": b"x" * 10_000_000}}})
    assert FILE_TOKENS[0] <= request_tokens(small)
    assert request_tokens(large) <= FILE_TOKENS[1] + 20
