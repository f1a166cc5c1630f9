"""Which model answers."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolecall.errors import InvalidRequest, RolecallError
from rolecall.llm.resolve import checked, resolve
from rolecall.llm.specs import ModelSpec

NAMES = ["anthropic:call", "openai:task", "ollama:agent", "vllm:corpus"]


@given(st.lists(st.booleans(), min_size=4, max_size=4))
def test_the_nearest_that_names_a_model_decides_and_the_settings_come_last(named):
    chain = [name if there else None for name, there in zip(NAMES, named, strict=True)]
    wanted = next(filter(None, chain), "bedrock:default")
    assert str(resolve(*chain, "bedrock:default")) == wanted


@pytest.mark.parametrize("blank", [None, "", "  "])
def test_a_blank_name_names_none(blank):
    assert resolve(blank, blank, blank, blank, "openai:gpt") == ModelSpec("openai", "gpt")


@pytest.mark.parametrize("name", ["google:gemini-2.5-pro", "google-gla:gemini-2.5-pro"])
def test_both_names_of_google_are_one_provider(name):
    assert resolve(name, None, None, None, "x") == ModelSpec("google", "gemini-2.5-pro")


def test_an_unknown_prefix_that_is_stored_is_a_bedrock_id():
    assert resolve(None, None, "nobody:some-model", None, "x") == ModelSpec("bedrock", "nobody:some-model")


def test_a_spec_of_a_provider_without_a_model_is_refused():
    with pytest.raises(RolecallError, match="names no model"):
        resolve("openai:", None, None, None, "x")


@pytest.mark.parametrize(
    "text",
    [
        "bedrock:eu.anthropic.claude-haiku-4-5-20251001-v1:0",
        "eu.anthropic.claude-haiku-4-5-20251001-v1:0",
        "arn:aws:bedrock:eu-north-1:1:inference-profile/x",
        "ollama:hf.co/someone/model:Q4_K_M",
        "openai:a-model-of-tomorrow",
    ],
)
def test_a_model_that_may_exist_can_be_chosen(text):
    assert checked(text, "model").model in text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("opnai:gpt-5", "no model provider 'opnai'; there are: .*openai"),
        ("gpt-5", "'gpt-5' is no model of Bedrock's"),
        ("bedrock:gpt", "'gpt' is no model of Bedrock's"),
        ("", "no model's name"),
        ("openai:gpt 5", "no model's name"),
        ("openai:gpt\u200b5\n", "no model's name"),
    ],
)
def test_a_model_that_cannot_exist_is_refused_with_the_reason(text, said):
    with pytest.raises(InvalidRequest, match=f"model: .*{said}"):
        checked(text, "model")
