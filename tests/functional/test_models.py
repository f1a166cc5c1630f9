"""Models: chosen by call and agent, reached by keys that nobody sees again."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from local.client import Client, RequestFailed
from local.demo import COMPANY_ID, DEMO_RECRUITER
from local.stack import Stack
from rolecall.identity import Caller
from rolecall.ids import UserId
from tests.fakes.model_servers import RIGHT_KEY, OpenAI
from tests.fakes.model_servers import ModelServer as ChatServer

Rows = Callable[..., list[dict[str, Any]]]
HAIKU = "bedrock:eu.anthropic.claude-haiku-4-5-20251001-v1:0"
SONNET = "bedrock:eu.anthropic.claude-sonnet-4-6"


class ModelServer:
    """A server that lists its models to whoever has the key."""

    def __init__(self) -> None:
        self.key = f"sk-{uuid4()}"
        self.asked: list[str] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                outer.asked.append(self.path)
                allowed = self.headers.get("authorization") == f"Bearer {outer.key}"
                body = json.dumps({"data": [{"id": "house-model-1"}]} if allowed else {"error": "no"}).encode()
                self.send_response(200 if allowed else 401)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"


@pytest.fixture
def server() -> Iterator[ModelServer]:
    made = ModelServer()
    thread = threading.Thread(target=made.http.serve_forever, args=(0.05,))
    thread.start()
    yield made
    made.http.shutdown()
    thread.join()
    made.http.server_close()


@pytest.fixture(autouse=True)
def clean(recruiter: Client, job_seeker: Client) -> Iterator[None]:
    yield
    for client in (recruiter, job_seeker):
        for key in client.request("listModelCredentials")["credentials"]:
            client.request("deleteModelCredential", provider=key["provider"])


def stored(client: Client) -> dict[str, Any]:
    keys = client.request("listModelCredentials")["credentials"]
    return {key["provider"]: key for key in keys if key["source"] == "stored"}


@pytest.fixture
def member(stack: Stack, connect: Callable[..., Client], rows: Rows) -> Client:
    """Somebody of the company who does not lead it."""
    user = uuid4()
    rows(
        "WITH made AS (INSERT INTO app_user (id, email) VALUES (%(id)s, %(email)s) RETURNING id)"
        " INSERT INTO user_company_role (user_id, company_id, role) VALUES (%(id)s, %(company)s, 'MEMBER')"
        " RETURNING user_id",
        id=user,
        email=f"{user}@example.com",
        company=COMPANY_ID,
    )
    return connect(Caller(UserId(user), COMPANY_ID))


def test_a_key_is_checked_and_kept_and_its_end_is_all_that_is_seen_again(
    stack: Stack, recruiter: Client, server: ModelServer, rows: Rows
) -> None:
    said = recruiter.request("setModelCredential", provider="openai", apiKey=server.key, baseUrl=f"{server.url}/")

    assert said["checked"] == "ok"
    assert said["credential"]["hint"] == server.key[-4:]
    assert stored(recruiter)["openai"]["baseUrl"] == server.url
    (row,) = rows("SELECT * FROM model_credential WHERE company_id = %(id)s", id=COMPANY_ID)
    assert (row["provider"], row["user_id"], row["updated_by"]) == ("openai", None, DEMO_RECRUITER.user_id)
    assert server.key.encode() not in row["ciphertext"]


def test_a_plain_key_is_in_no_log_and_not_in_the_live_table(
    stack: Stack, recruiter: Client, server: ModelServer
) -> None:
    recruiter.request("setModelCredential", provider="openai", apiKey=server.key, baseUrl=server.url)
    with pytest.raises(RequestFailed):
        recruiter.request("setModelCredential", provider="nobody", apiKey=server.key)

    logs = [path for path in (Path(stack.data.path) / "logs").iterdir() if path.is_file()]
    assert any("actions" in path.name for path in logs)
    assert not [path.name for path in logs if server.key in path.read_text(errors="replace")]
    assert server.key not in str(stack.client("dynamodb").scan(TableName="rolecall-live")["Items"])


def test_a_wrong_key_is_told_at_once_and_so_is_a_server_that_is_not_there(
    recruiter: Client, server: ModelServer
) -> None:
    wrong = recruiter.request("setModelCredential", provider="openai", apiKey="sk-wrong-wrong", baseUrl=server.url)
    nowhere = recruiter.request(
        "setModelCredential", provider="openai", apiKey=server.key, baseUrl="http://127.0.0.1:9/v1"
    )
    unasked = recruiter.request("setModelCredential", provider="openai", apiKey=server.key, check=False)

    assert [said["checked"] for said in (wrong, nowhere, unasked)] == ["refused", "unreachable", None]


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"provider": "bedrock", "apiKey": "k"}, "provider"),
        ({"provider": "Open AI", "apiKey": "k"}, "provider"),
        ({"provider": "nobody", "apiKey": "k"}, "provider"),
        ({"provider": "openai"}, "apiKey"),
        ({"provider": "openai", "apiKey": " "}, "apiKey"),
        ({"provider": "openai", "apiKey": "two words"}, "apiKey"),
        ({"provider": "openai", "apiKey": "line\nbreak"}, "apiKey"),
        ({"provider": "openai", "apiKey": "clé"}, "apiKey"),
        ({"provider": "openai", "apiKey": "k" * 1001}, "apiKey"),
        ({"provider": "openai", "apiKey": "k" * 5000}, "apiKey"),
        ({"provider": "openai", "apiKey": {"a": 1}}, "apiKey"),
        ({"provider": "openai", "apiKey": "k", "baseUrl": "file:///etc/passwd"}, "baseUrl"),
        ({"provider": "openai", "apiKey": "k", "baseUrl": "https://a:b@c"}, "baseUrl"),
        ({"provider": "ollama"}, "baseUrl"),
    ],
)
def test_what_cannot_be_a_key_is_refused_by_name_and_not_stored(
    recruiter: Client, fields: dict[str, Any], said: str
) -> None:
    with pytest.raises(RequestFailed) as refused:
        recruiter.request("setModelCredential", **fields)
    assert refused.value.code == "INVALID_REQUEST"
    assert str(refused.value).startswith(said) or f"{said}:" in str(refused.value)
    assert stored(recruiter) == {}


def test_members_use_the_companys_key_and_cannot_change_it(recruiter: Client, member: Client) -> None:
    recruiter.request("setModelCredential", provider="openai", apiKey="sk-0123456789", check=False)

    assert stored(member).keys() == {"openai"}
    assert member.request("listModelCredentials")["mayChange"] is False
    for action, fields in {
        "setModelCredential": {"provider": "openai", "apiKey": "sk-other"},
        "deleteModelCredential": {"provider": "openai"},
    }.items():
        with pytest.raises(RequestFailed) as refused:
            member.request(action, **fields)
        assert refused.value.code == "UNAUTHORIZED"
    assert stored(recruiter)["openai"]["hint"] == "6789"


def test_a_job_seekers_key_is_their_own_and_the_companys_is_not_theirs(recruiter: Client, job_seeker: Client) -> None:
    recruiter.request("setModelCredential", provider="openai", apiKey="sk-company-key", check=False)
    job_seeker.request("setModelCredential", provider="anthropic", apiKey="sk-private-key", check=False)

    assert stored(recruiter).keys() == {"openai"}
    assert stored(job_seeker).keys() == {"anthropic"}


def test_models_are_offered_with_the_reason_why_one_cannot_be_used(recruiter: Client, server: ModelServer) -> None:
    before = recruiter.request("listModels")
    recruiter.request("setModelCredential", provider="openai", apiKey=server.key, baseUrl=server.url)
    after = recruiter.request("listModels")

    offline = next(model for model in before["models"] if model["spec"] == before["main"])
    assert offline["usable"] is True
    openai = next(entry for entry in before["providers"] if entry["provider"] == "openai")
    assert (openai["usable"], openai["needsKey"]) == (False, True)
    assert "OPENAI_API_KEY" in openai["reason"]
    served = [model for model in after["models"] if model["provider"] == "openai"]
    assert [(model["spec"], model["usable"]) for model in served] == [("openai:house-model-1", True)]


def test_a_message_may_name_its_model_and_the_next_one_has_the_agents(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    own = list(recruiter.chat(conversation, "Who am I?", model=HAIKU))
    agents = list(recruiter.chat(conversation, "Thanks."))

    models = rows("SELECT id::text, model FROM agent_message WHERE role = 'ASSISTANT'")
    by_turn = {row["id"]: row["model"] for row in models}
    assert by_turn[own[-1]["messageId"]] == HAIKU
    assert by_turn[agents[-1]["messageId"]] == "bedrock:rolecall.offline-v1"
    asked = [request.model_id for request in stack.bedrock.requests if "small" not in request.model_id]
    assert asked == [HAIKU.removeprefix("bedrock:")] * 2 + ["rolecall.offline-v1"], "every hop has the call's model"


@pytest.mark.parametrize(
    ("model", "said"),
    [("opnai:gpt-5", "no model provider"), ("gpt-5", "no model of Bedrock"), ("openai:gpt-5", "no key for OpenAI")],
)
def test_a_model_that_cannot_be_used_is_refused_before_a_row_is_written(
    recruiter: Client, conversation: str, rows: Rows, model: str, said: str
) -> None:
    (last,) = list(recruiter.chat(conversation, "Hello", model=model))[-1:]

    assert last["type"] in {"ChatError", "Error"}
    assert said in last["message"]
    assert rows("SELECT 1 FROM agent_message WHERE conversation_id = %(id)s", id=conversation) == []


def test_an_agent_gets_a_model_and_loses_it_again(
    recruiter: Client, conversation: str, stack: Stack, rows: Rows
) -> None:
    agent = recruiter.request("whoAmI")["defaultAgentId"]
    try:
        changed = recruiter.request("updateAgent", agentId=agent, llmModel=HAIKU, temperature=0.2)["agent"]
        again = recruiter.request("updateAgent", agentId=agent)["agent"]
        list(recruiter.chat(conversation, "Hello"))
    finally:
        reset = recruiter.request("updateAgent", agentId=agent, llmModel=None, temperature=None)["agent"]

    assert changed == again
    assert (changed["llmModel"], changed["temperature"]) == (HAIKU, 0.2)
    assert HAIKU.removeprefix("bedrock:") in [request.model_id for request in stack.bedrock.requests]
    assert (reset["llmModel"], reset["temperature"]) == (None, 0.7)
    (newest, *_) = rows(
        "SELECT * FROM agent_activity WHERE activity_type = 'AGENT_UPDATED' AND agent_id = %(id)s ORDER BY created_at",
        id=agent,
    )
    assert newest["details"] == {"changed": ["llm_model", "temperature"]}


@pytest.mark.parametrize(
    "fields",
    [
        {"llmModel": "opnai:gpt-5"},
        {"smallLlmModel": "gpt"},
        {"temperature": 2.1},
        {"maxTokens": 0},
        {"maxContextMessages": 501},
        {"name": None},
        {"name": "  "},
        {"systemPrompt": "x" * 20_001},
    ],
)
def test_an_agent_is_not_changed_to_what_it_cannot_be(recruiter: Client, fields: dict[str, Any]) -> None:
    agent = recruiter.request("whoAmI")["defaultAgentId"]
    before = recruiter.request("updateAgent", agentId=agent)
    with pytest.raises(RequestFailed) as refused:
        recruiter.request("updateAgent", agentId=agent, **fields)
    assert refused.value.code == "INVALID_REQUEST"
    assert recruiter.request("updateAgent", agentId=agent) == before


def test_a_companys_agent_is_for_its_leaders_to_change_and_nobody_reaches_anothers(
    recruiter: Client, member: Client, job_seeker: Client
) -> None:
    agent = recruiter.request("whoAmI")["defaultAgentId"]
    codes = []
    for client in (member, job_seeker):
        with pytest.raises(RequestFailed) as refused:
            client.request("updateAgent", agentId=agent, llmModel=HAIKU)
        codes.append(refused.value.code)
    assert codes == ["UNAUTHORIZED", "AGENT_INACTIVE"]
    own = job_seeker.request("whoAmI")["defaultAgentId"]
    assert job_seeker.request("updateAgent", agentId=own, maxTokens=4000)["agent"]["maxTokens"] == 4000


@pytest.fixture
def openai() -> Iterator[ChatServer]:
    """A server that speaks OpenAI's API."""
    with ChatServer(OpenAI("gpt-4.1")) as running:
        yield running


def test_a_conversation_changes_its_model_to_another_house_and_back_with_its_tools(
    stack: Stack, recruiter: Client, conversation: str, openai: ChatServer
) -> None:
    agent = recruiter.request("whoAmI")["defaultAgentId"]
    recruiter.request("setModelCredential", provider="openai", apiKey=RIGHT_KEY, baseUrl=f"{openai.url}/v1")
    first = list(recruiter.chat(conversation, "Who am I?"))
    try:
        recruiter.request("updateAgent", agentId=agent, llmModel="openai:gpt-4.1")
        second = list(recruiter.chat(conversation, "Who am I, again?"))
    finally:
        recruiter.request("updateAgent", agentId=agent, llmModel=None)
    third = list(recruiter.chat(conversation, "And who am I now?"))

    for events in (first, second, third):
        assert "get_me" in [event["toolName"] for event in events if event["type"] == "ChatToolCall"]
        assert events[-1]["type"] == "ChatComplete", events[-1]
    assert len(openai.chats) == 2, "both hops of the second turn"
    sent = json.dumps(openai.chats[0].body["messages"])
    assert sent.count("get_me") >= 1, "the tool's history of the other house is there"
    assert all(asked.headers["authorization"] == f"Bearer {RIGHT_KEY}" for asked in openai.chats)
    last = [request for request in stack.bedrock.requests if "small" not in request.model_id][-1]
    calls = [block for message in last.body["messages"] for block in message["content"] if "toolUse" in block]
    assert len(calls) == 3, "its own, the other house's, and its own again"


def test_a_key_that_is_wrong_ends_the_turn_with_what_to_do_and_a_new_one_is_used_at_once(
    recruiter: Client, conversation: str, openai: ChatServer
) -> None:
    recruiter.request(
        "setModelCredential", provider="openai", apiKey="sk-wrong-0123456789", baseUrl=f"{openai.url}/v1", check=False
    )
    refused = list(recruiter.chat(conversation, "Hello", model="openai:gpt-4.1"))[-1]
    recruiter.request("setModelCredential", provider="openai", apiKey=RIGHT_KEY, baseUrl=f"{openai.url}/v1")
    answered = list(recruiter.chat(conversation, "Hello again", model="openai:gpt-4.1"))[-1]

    assert refused["type"] == "ChatError"
    assert "key" in refused["message"] + refused["recoveryHint"]
    assert "sk-wrong" not in json.dumps(refused)
    assert answered["type"] == "ChatComplete"


def test_a_local_server_that_is_not_there_is_named_in_the_error(recruiter: Client, conversation: str) -> None:
    recruiter.request("setModelCredential", provider="ollama", baseUrl="http://127.0.0.1:9/v1", check=False)

    last = list(recruiter.chat(conversation, "Hello", model="ollama:llama3.2"))[-1]

    assert last["type"] == "ChatError"
    assert "127.0.0.1:9" in last["message"]
    offered = recruiter.request("listModels")["providers"]
    (ollama,) = [entry for entry in offered if entry["provider"] == "ollama"]
    assert ollama["reason"] == "No server answers at http://127.0.0.1:9/v1. Start it: `ollama serve`."
