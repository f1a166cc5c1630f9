"""What front does with a body before anybody opens a database."""

import json
import time
from typing import Any
from uuid import uuid4

import pytest

from rolecall.aws.live import LiveTable
from rolecall.identity import Caller
from rolecall.ids import UserId
from rolecall.llm.credentials import opened
from rolecall.llm.vault.handover import received
from rolecall.protocol.model_requests import SetModelCredential
from rolecall.settings import Settings
from rolecall.turns import intake
from rolecall.turns.intake import Arrival, receive


@pytest.fixture(autouse=True)
def started(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, dict[str, Any]]]:
    calls: list[tuple[str, dict[str, Any]]] = []
    monkeypatch.setattr(intake, "start", lambda function, payload: calls.append((function, payload)))
    return calls


def arrive(live: LiveTable, body: dict[str, Any], caller: Caller, *, expires_in: float = 600) -> dict[str, Any] | None:
    arrival = Arrival(json.dumps(body), caller, time.time() + expires_in, "c1")
    frame = receive(arrival, live, Settings())
    return frame.wire() if frame else None


def a_chat(**fields: Any) -> dict[str, Any]:
    return {"action": "agentChat", "requestId": "r", "conversationId": str(uuid4()), "content": "Hi"} | fields


@pytest.fixture
def caller() -> Caller:
    return Caller(UserId(uuid4()))


def test_a_token_that_ended_since_the_connect_starts_nothing(live: LiveTable, caller: Caller, started: Any) -> None:
    frame = arrive(live, a_chat(), caller, expires_in=-60)

    assert frame is not None
    assert (frame["code"], frame["requestId"]) == ("UNAUTHORIZED", "r")
    assert started == []


def test_a_message_is_acknowledged_with_its_turn_and_handed_on(live: LiveTable, caller: Caller, started: Any) -> None:
    chat = a_chat(messageId=str(uuid4()))

    first, again = arrive(live, chat, caller), arrive(live, chat, caller)

    assert first is not None
    assert again is not None
    assert first["data"]["turnId"] == again["data"]["turnId"]
    assert (first["data"]["repeated"], again["data"]["repeated"]) == (False, True)
    assert [function for function, _ in started] == ["rolecall-turn"] * 2


def test_the_same_message_id_of_another_person_is_another_turn(live: LiveTable, caller: Caller) -> None:
    chat = a_chat(messageId=str(uuid4()))

    mine, theirs = arrive(live, chat, caller), arrive(live, chat, Caller(UserId(uuid4())))

    assert mine is not None
    assert theirs is not None
    assert mine["data"]["turnId"] != theirs["data"]["turnId"]


def test_other_requests_go_to_actions_with_a_delivery_id_of_their_own(
    live: LiveTable, caller: Caller, started: Any
) -> None:
    for _ in range(2):
        assert arrive(live, {"action": "whoAmI"}, caller) is None

    assert [function for function, _ in started] == ["rolecall-actions"] * 2
    assert len({payload["deliveryId"] for _, payload in started}) == 2
    assert started[0][1]["caller"] == caller.plain()


def test_a_model_key_is_sealed_before_it_is_handed_on(live: LiveTable, caller: Caller, started: Any) -> None:
    settings = Settings.model_validate({"CREDENTIAL_KEYS": "m" * 40})
    body = {"action": "setModelCredential", "requestId": "r", "provider": "google-gla", "apiKey": "sk-secret-key"}
    arrival = Arrival(json.dumps(body), caller, time.time() + 600, "c1")

    assert receive(arrival, live, settings) is None

    ((_, payload),) = started
    assert "sk-secret-key" not in json.dumps(payload)
    request = SetModelCredential.model_validate(payload["request"])
    sealed = received(request)
    assert sealed is not None
    assert opened(caller, "google", None, sealed, settings).get_secret_value() == "sk-secret-key"


def test_a_model_key_that_cannot_be_sealed_is_not_handed_on(live: LiveTable, caller: Caller, started: Any) -> None:
    frame = arrive(live, {"action": "setModelCredential", "provider": "openai", "apiKey": "sk-secret-key"}, caller)

    assert frame is not None
    assert "CREDENTIAL_KEYS" in frame["recoveryHint"]
    assert started == []


def test_null_and_not_said_differ_for_who_answers(live: LiveTable, caller: Caller, started: Any) -> None:
    arrive(live, {"action": "updateAgent", "agentId": str(uuid4()), "llmModel": None}, caller)

    ((_, payload),) = started
    assert payload["request"].keys() == {"action", "agentId", "llmModel"}
