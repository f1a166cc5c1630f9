"""Values out of a model, over the local endpoints."""

import json
import logging
from typing import Any

import pytest
from pydantic import BaseModel, Field, SecretStr

from local.bedrock.answer import CallTool, Say
from local.bedrock.script import Fail
from local.bedrock.server import BedrockServer
from rolecall.llm.access import Access
from rolecall.llm.errors import ModelError
from rolecall.llm.providers import bedrock
from rolecall.llm.shapes import TOOL, Mismatch, Shape, way_for
from rolecall.llm.specs import ModelSpec, parse_spec
from rolecall.llm.structured import NoValue, structured, structured_or_raise
from tests.fakes.model_servers import RIGHT_KEY, Anthropic, ModelServer, Ollama

OFFLINE = parse_spec("bedrock:rolecall.offline-v1")
HERE = Access(region="eu-north-1")


class Party(BaseModel):
    name: str
    role: str


class Contract(BaseModel):
    title: str
    parties: list[Party]
    total: float | None = Field(None, ge=0)


GOOD = {"title": "Lease", "parties": [{"name": "Ada", "role": "Buyer"}], "total": 3}


@pytest.fixture
def endpoint(monkeypatch):
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "local")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "local")
    server = BedrockServer("127.0.0.1", 0)
    server.start()
    monkeypatch.setenv("AWS_ENDPOINT_URL_BEDROCK_RUNTIME", server.url)
    bedrock.forget_clients()
    yield server
    bedrock.forget_clients()
    server.stop()


def ask(shape: Any, **asked: Any) -> Any:
    return structured_or_raise(OFFLINE, shape, **({"prompt": "What is it?", "access": HERE} | asked))


@pytest.mark.parametrize(
    ("shape", "said", "value"),
    [
        (str, "Stockholm", "Stockholm"),
        (int, 12, 12),
        (int, "12", 12),
        (float, 1.5, 1.5),
        (bool, True, True),
        (list[str], ["a", "b"], ["a", "b"]),
        (list[Party], [{"name": "Ada", "role": "Buyer"}], [Party(name="Ada", role="Buyer")]),
    ],
)
def test_a_value_comes_as_what_was_asked_for(endpoint, shape, said, value):
    endpoint.script.push(CallTool(TOOL, {"value": said}))
    assert ask(shape) == value


def test_a_model_comes_whole_and_the_call_is_forced_without_reasoning(endpoint):
    endpoint.script.push(CallTool(TOOL, GOOD))

    assert ask(Contract, extra_context="A lease.", verify="Look twice.") == Contract.model_validate(GOOD)

    (request,) = endpoint.requests
    assert request.body["toolConfig"]["toolChoice"] == {"tool": {"name": TOOL}}
    assert "additionalModelRequestFields" not in request.body
    system = request.body["system"][0]["text"]
    assert "<context>\nA lease.\n</context>" in system
    assert "Look twice." in system


def test_an_answer_of_the_wrong_shape_is_mended_once_with_what_was_wrong_with_it(endpoint):
    endpoint.script.push(CallTool(TOOL, GOOD | {"total": -1, "parties": [{"name": "Ada"}]}))
    endpoint.script.push(CallTool(TOOL, GOOD))

    assert ask(Contract).total == 3

    told = json.dumps(endpoint.requests[1].body["messages"][-1])
    assert "parties.0.role" in told
    assert "total" in told
    assert '"status": "error"' in told


def test_an_answer_that_is_wrong_twice_is_none_and_the_log_has_no_word_of_it(endpoint, caplog):
    for _ in range(2):
        endpoint.script.push(CallTool(TOOL, {"title": "A secret title"}))
    with caplog.at_level(logging.WARNING):
        assert structured(OFFLINE, Contract, prompt="A secret question", access=HERE) is None
    assert len(endpoint.requests) == 2
    assert "secret" not in caplog.text


def test_the_variant_that_raises_says_why(endpoint):
    for _ in range(2):
        endpoint.script.push(CallTool(TOOL, {"value": "many"}))
    with pytest.raises(NoValue) as caught:
        ask(int)
    assert "valid integer" in caught.value.why


def test_a_model_that_speaks_in_place_of_calling_is_understood(endpoint):
    endpoint.script.push(Say("Here it is:\n```json\n" + json.dumps(GOOD) + "\n```"))
    assert ask(Contract).title == "Lease"


@pytest.mark.parametrize("said", ["I cannot.", "[1, 2]", "{'a': 1}", "{" * 300])
def test_words_without_an_object_are_objected_to(endpoint, said):
    endpoint.script.push(Say(said))
    endpoint.script.push(CallTool(TOOL, {"value": 1}))
    assert ask(int) == 1
    assert "no JSON object" in json.dumps(endpoint.requests[1].body["messages"])


def test_a_model_that_cannot_be_asked_is_none_too(endpoint):
    endpoint.script.push(Fail("AccessDeniedException", 403, "no"))
    assert structured(OFFLINE, str, prompt="?", access=HERE) is None


def test_and_raises_in_the_variant_that_raises(endpoint):
    endpoint.script.push(Fail("AccessDeniedException", 403, "no"))
    with pytest.raises(ModelError):
        ask(str)


def test_the_offline_model_answers_a_forced_call_with_something_legal(endpoint):
    made = ask(Contract, prompt="Set the title to Lease of the house")
    assert made.title


@pytest.mark.parametrize(
    ("spec", "way"),
    [
        (OFFLINE, "tool"),
        (ModelSpec("anthropic", "claude-sonnet-4-6"), "tool"),
        (ModelSpec("ollama", "nobody-knows-this"), "json"),
        (ModelSpec("vllm", "nobody-knows-this"), "json"),
        (ModelSpec("bedrock", "nobody.knows-this"), "prompt"),
    ],
)
def test_a_model_is_asked_in_the_surest_way_that_it_knows(spec, way):
    assert way_for(spec) == way


@pytest.mark.parametrize(
    ("provider", "dialect", "path", "fields"),
    [("ollama", Ollama, "/v1", {"type": "json_object"}), ("anthropic", Anthropic, "", None)],
)
def test_without_tools_a_server_is_asked_for_json_and_mends_it(provider, dialect, path, fields):
    spec = ModelSpec(provider, "homemade")
    with ModelServer(dialect("homemade")) as server:
        server.script.push(Say(json.dumps({"title": "Lease"})))
        server.script.push(Say(json.dumps(GOOD)))
        access = Access(api_key=SecretStr(RIGHT_KEY), base_url=f"{server.url}{path}")
        assert structured_or_raise(spec, Contract, prompt="What is it?", access=access).total == 3
    first, second = (asked.body for asked in server.chats)
    assert first.get("response_format") == fields
    assert "tools" not in first
    assert "JSON Schema" in json.dumps(first)
    assert "parties: Field required" in json.dumps(second)


def test_a_shape_that_holds_models_keeps_its_definitions_where_the_schema_refers_to_them():
    schema = Shape(list[Party]).schema
    assert schema["properties"]["value"]["items"] == {"$ref": "#/$defs/Party"}
    assert "Party" in schema["$defs"]


def test_an_object_without_the_value_is_another_shape():
    with pytest.raises(Mismatch, match="no field 'value'"):
        Shape(int).read({"answer": 1})
