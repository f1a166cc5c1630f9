import subprocess
import sys

import pytest

from rolecall.errors import RolecallError
from rolecall.llm import registry
from rolecall.llm.capabilities import capabilities, thinks, with_thinking
from rolecall.llm.specs import ModelSpec, parse_spec


@pytest.mark.parametrize(
    ("text", "provider", "model"),
    [
        ("bedrock:eu.anthropic.claude-sonnet-4-6", "bedrock", "eu.anthropic.claude-sonnet-4-6"),
        ("bedrock:amazon.nova-lite-v1:0", "bedrock", "amazon.nova-lite-v1:0"),
        ("eu.anthropic.claude-haiku-4-5-20251001-v1:0", "bedrock", "eu.anthropic.claude-haiku-4-5-20251001-v1:0"),
        ("rolecall.offline-v1", "bedrock", "rolecall.offline-v1"),
        ("arn:aws:bedrock:eu-north-1:1:x/y", "bedrock", "arn:aws:bedrock:eu-north-1:1:x/y"),
        ("nobody:some-model", "bedrock", "nobody:some-model"),
    ],
)
def test_a_prefix_is_a_provider_only_if_it_is_registered(text, provider, model):
    assert parse_spec(text) == ModelSpec(provider, model)


@pytest.mark.parametrize("text", ["", "  ", "bedrock:", "bedrock: "])
def test_a_spec_without_a_model_is_refused(text):
    with pytest.raises(RolecallError, match="names no model"):
        parse_spec(text)


def test_an_unknown_provider_is_named_with_those_there_are():
    with pytest.raises(RolecallError, match=r"no model provider 'nobody'; there are: .*bedrock"):
        registry.provider("nobody")


def test_a_provider_whose_package_is_not_installed_names_the_package(tmp_path, monkeypatch):
    (tmp_path / "half.py").write_text("import a_package_that_is_not_there\n")
    monkeypatch.setattr(registry.providers, "__path__", [*registry.providers.__path__, str(tmp_path)])
    registry.registered.cache_clear()
    try:
        with pytest.raises(RolecallError, match="'half' needs the package 'a_package_that_is_not_there'"):
            registry.provider("half")
    finally:
        monkeypatch.undo()
        registry.registered.cache_clear()


def test_importing_the_model_layer_does_not_import_boto3():
    code = (
        "import sys, rolecall.llm.client, rolecall.llm.embeddings, rolecall.llm.contract, rolecall.llm.tool_results; "
        "sys.exit(bool({'boto3', 'botocore', 'pydantic'} & sys.modules.keys()))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("eu.anthropic.claude-haiku-4-5-20251001-v1:0", "budget"),
        ("eu.anthropic.claude-sonnet-4-6", "adaptive"),
        ("global.anthropic.claude-sonnet-4-5-20250929-v1:0", "budget"),
        ("anthropic.claude-opus-4-1-20250805-v1:0", "budget"),
        ("anthropic.claude-opus-4-7", "adaptive"),
        ("us.anthropic.claude-3-7-sonnet-20250219-v1:0", "budget"),
        ("anthropic.claude-3-5-sonnet-20241022-v2:0", "none"),
        ("anthropic.claude-sonnet-4-20250514-v1:0", "budget"),
        ("amazon.nova-lite-v1:0", "none"),
        ("nobody.knows-this", "none"),
    ],
)
def test_each_model_reasons_as_its_service_lets_it(model, thinking):
    assert capabilities(model).thinking == thinking


def test_an_unknown_model_is_trusted_with_the_least():
    least = capabilities("nobody.knows-this")
    assert not any((least.tools, least.documents, least.images))


def a_request(**inference):
    return {"messages": [{"role": "user", "content": [{"text": "hi"}]}], "inferenceConfig": inference}


def test_thinking_leaves_the_answer_its_room_and_drops_the_temperature():
    request = a_request(maxTokens=2000, temperature=0.2)
    thinking = with_thinking(request, "anthropic.claude-haiku-4-5-20251001-v1:0", budget=4000)
    assert thinking["inferenceConfig"] == {"maxTokens": 6000}
    assert thinking["additionalModelRequestFields"] == {"thinking": {"type": "enabled", "budget_tokens": 4000}}
    assert request == a_request(maxTokens=2000, temperature=0.2), "the request itself is not changed"


def test_a_model_that_does_not_reason_gets_the_request_as_it_is():
    request = a_request(maxTokens=2000)
    assert with_thinking(request, "amazon.nova-lite-v1:0", budget=4000) is request


def test_a_model_that_adapts_gets_no_budget():
    thinking = with_thinking(a_request(), "eu.anthropic.claude-sonnet-4-6", budget=1)
    assert thinking["additionalModelRequestFields"] == {"thinking": {"type": "adaptive"}}


def test_a_budget_of_nothing_asks_for_no_reasoning():
    request = a_request(maxTokens=2000)
    assert with_thinking(request, "eu.anthropic.claude-sonnet-4-6", budget=0) is request


CALL = {"toolUse": {"toolUseId": "t1", "name": "get_me", "input": {}}}
RESULT = {"toolResult": {"toolUseId": "t1", "content": [{"text": "you"}]}}
THOUGHT = {"reasoningContent": {"reasoningText": {"text": "Hm", "signature": "s"}}}


@pytest.mark.parametrize(
    ("rounds", "may_think"),
    [
        ([[THOUGHT, CALL]], True),
        ([[CALL]], False),
        ([[THOUGHT, CALL], [CALL]], True),
        ([[CALL], [THOUGHT, CALL]], False),
        ([], True),
    ],
)
def test_a_model_with_a_budget_does_not_think_in_a_round_that_began_without(rounds, may_think):
    past = [{"role": "user", "content": [{"text": "a"}]}, {"role": "assistant", "content": [{"text": "b"}]}]
    messages = [*past, {"role": "user", "content": [{"text": "hi"}]}]
    for said in rounds:
        messages += [{"role": "assistant", "content": said}, {"role": "user", "content": [RESULT, {"text": "note"}]}]
    request = {"messages": messages}
    assert thinks(with_thinking(request, "anthropic.claude-haiku-4-5-20251001-v1:0", budget=2000)) is may_think
    assert thinks(with_thinking(request, "eu.anthropic.claude-sonnet-4-6", budget=2000))
