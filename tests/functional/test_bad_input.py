"""What must not break anything: a typed error with a hint, one terminal state, nothing lost."""

import json
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import jwt
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import ClientConnection, connect

from local.client import Client, RequestFailed
from local.demo import DEMO_RECRUITER
from local.stack import Stack
from local.tokens import token_for

NOWHERE = "00000000-0000-4000-8000-000000000000"
BODIES: dict[str, tuple[str | bytes, str]] = {
    "no JSON": ("{not json", "INVALID_REQUEST"),
    "an array": ('[2,"id","x"]', "INVALID_REQUEST"),
    "a string": ('"ping"', "INVALID_REQUEST"),
    "null": ("null", "INVALID_REQUEST"),
    "nothing": ("", "INVALID_REQUEST"),
    "binary": (b"\x00\xff", "INVALID_REQUEST"),
    "no action": ("{}", "INVALID_REQUEST"),
    "an action that is an object": ('{"action":{"a":1}}', "INVALID_REQUEST"),
    "an unknown action": ('{"action":"sendMessage","message":null}', "UNKNOWN_ACTION"),
    "a forged connect": ('{"action":"$connect"}', "UNKNOWN_ACTION"),
    "a forged disconnect": ('{"action":"$disconnect"}', "UNKNOWN_ACTION"),
    "too deep": ('{"a":' + "[" * 10_000 + "]" * 10_000 + "}", "INVALID_REQUEST"),
    "no conversation": ('{"action":"agentChat","content":"x"}', "INVALID_REQUEST"),
    "a conversation that is no id": ('{"action":"agentChat","content":"x","conversationId":"abc"}', "INVALID_REQUEST"),
}


@pytest.fixture
def socket(stack: Stack) -> Any:
    token = token_for(DEMO_RECRUITER, stack.token_secret)
    with connect(f"{stack.ws_url}?token={token}", ping_interval=None) as opened:
        yield opened


def answer_to(socket: ClientConnection, body: str | bytes) -> dict[str, Any]:
    """Send a body and return its answer; news of other requests may come in between."""
    socket.send(body)
    while True:
        frame: dict[str, Any] = json.loads(socket.recv(timeout=10))
        if frame["type"] in {"Error", "Reply", "Pong"}:
            return frame


@pytest.mark.parametrize("name", BODIES)
def test_a_body_that_is_no_request_gets_one_error_and_keeps_the_socket(socket: ClientConnection, name: str) -> None:
    body, code = BODIES[name]

    error = answer_to(socket, body)

    assert (error["type"], error["code"]) == ("Error", code)
    assert error["message"]
    assert error["recoveryHint"]
    assert "Traceback" not in error["message"]
    assert answer_to(socket, '{"action":"ping","requestId":"p"}') == {"type": "Pong", "requestId": "p"}


@pytest.mark.parametrize(
    ("content", "field"),
    [
        ("x" * 10_001, "10,000"),
        ("", "empty"),
        (" \n\t ", "empty"),
        ("a\x00b", "NUL"),
        ("a\ud83d", "surrogate"),
        ("𝄞" * 7_000, "bytes"),
    ],
)
def test_a_message_that_cannot_be_used_says_why_and_stores_nothing(
    socket: ClientConnection, conversation: str, rows: Callable[..., Any], content: str, field: str
) -> None:
    error = answer_to(
        socket,
        json.dumps({"action": "agentChat", "requestId": "r", "conversationId": conversation, "content": content})
        if "𝄞" not in content
        else json.dumps(
            {"action": "agentChat", "requestId": "r", "conversationId": conversation, "content": content},
            ensure_ascii=False,
        ),
    )

    assert (error["type"], error["requestId"], error["code"]) == ("Error", "r", "INVALID_REQUEST")
    assert error["message"].startswith("content: ")
    assert field in error["message"]
    assert rows("SELECT FROM agent_message WHERE conversation_id = %(id)s", id=conversation) == []


def test_ten_thousand_characters_are_answered(recruiter: Client, conversation: str) -> None:
    events = list(recruiter.chat(conversation, "å" * 10_000))

    assert events[-1]["type"] == "ChatComplete"


@pytest.mark.parametrize("whose", ["nobody's", "somebody else's"])
def test_a_conversation_that_is_not_the_callers_is_not_found(
    recruiter: Client, job_seeker: Client, conversation: str, rows: Callable[..., Any], whose: str
) -> None:
    target = NOWHERE if whose == "nobody's" else conversation

    events = list(job_seeker.chat(target, "Hello"))

    assert [event["type"] for event in events] == ["ChatProcessing", "ChatError"]
    assert events[-1]["code"] == "CONVERSATION_NOT_FOUND"
    assert rows("SELECT FROM agent_message WHERE conversation_id = %(id)s", id=target) == []
    with pytest.raises(RequestFailed) as refused:
        job_seeker.request("conversationMessages", conversationId=target)
    assert refused.value.code == "CONVERSATION_NOT_FOUND"


def test_a_message_id_of_another_message_is_refused(recruiter: Client, connect: Any, conversation: str) -> None:
    message_id = str(uuid4())
    list(recruiter.chat(conversation, "First", message_id=message_id))
    other = recruiter.request("createConversation")["conversation"]["conversationId"]

    events = list(recruiter.chat(other, "Second", message_id=message_id))

    assert events[-1]["code"] == "INVALID_REQUEST"
    assert "messageId" in events[-1]["message"]


@pytest.mark.parametrize("action", ["resumeTurn", "cancelTurn"])
@pytest.mark.parametrize("whose", ["nobody's", "somebody else's"])
def test_a_turn_that_is_not_the_callers_is_not_found(
    recruiter: Client, job_seeker: Client, conversation: str, action: str, whose: str
) -> None:
    turn = list(recruiter.chat(conversation, "Hello"))[-1]["turnId"] if whose != "nobody's" else NOWHERE

    with pytest.raises(RequestFailed) as refused:
        job_seeker.request(action, turnId=turn)

    assert refused.value.code == "CONVERSATION_NOT_FOUND"


def _claims(**changes: Any) -> dict[str, Any]:
    claims = {
        "sub": str(DEMO_RECRUITER.user_id),
        "aud": "rolecall",
        "iss": "rolecall",
        "exp": int(time.time()) + 600,
        "company_id": str(DEMO_RECRUITER.company_id),
    } | changes
    return {name: value for name, value in claims.items() if value is not None}


@pytest.mark.parametrize(
    "changes",
    [
        {"exp": 1_700_000_000},
        {"exp": None},
        {"aud": "chat-admin"},
        {"aud": None},
        {"iss": "https://issuer.example.evil/"},
        {"sub": ""},
        {"sub": None},
        {"nbf": 4_102_444_800},
        {"company_id": 7},
    ],
    ids=str,
)
def test_a_token_that_does_not_hold_opens_no_socket(stack: Stack, changes: dict[str, Any]) -> None:
    token = jwt.encode(_claims(**changes), stack.token_secret, algorithm="HS256")

    with pytest.raises(InvalidStatus) as refused, connect(f"{stack.ws_url}?token={token}"):
        pass

    assert refused.value.response.status_code == 401


@pytest.mark.parametrize("token", ["", "x.y.z", jwt.encode({"sub": "x"}, "", algorithm="none")])
def test_an_unsigned_or_missing_token_opens_no_socket(stack: Stack, token: str) -> None:
    with pytest.raises(InvalidStatus) as refused, connect(f"{stack.ws_url}?token={token}"):
        pass

    assert refused.value.response.status_code == 401


def test_only_our_subprotocol_is_echoed_never_the_token(stack: Stack) -> None:
    token = token_for(DEMO_RECRUITER, stack.token_secret)

    with connect(stack.ws_url, subprotocols=["rolecall.v1", token]) as opened:  # type: ignore[list-item]
        assert opened.subprotocol == "rolecall.v1"


def test_a_company_that_the_person_does_not_act_for_gives_nothing(stack: Stack) -> None:
    token = jwt.encode(_claims(company_id=NOWHERE), stack.token_secret, algorithm="HS256")

    with Client(stack.ws_url, token) as forged:
        for action in ("whoAmI", "createConversation"):
            with pytest.raises(RequestFailed) as refused:
                forged.request(action)
            assert refused.value.code == "UNAUTHORIZED"
        assert forged.request("listConversations")["conversations"] == []
