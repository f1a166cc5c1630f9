"""Any body at all becomes a request, or one typed error."""

import json
from typing import Any
from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolecall.errors import RECOVERY_HINTS, ErrorCode, RolecallError
from rolecall.protocol.events import EVENTS, Error
from rolecall.protocol.parse import parse, request_id_of
from rolecall.protocol.requests import ACTIONS, AgentChat

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=8,
)
near_requests = st.fixed_dictionaries(
    {"action": st.sampled_from([*ACTIONS, "$connect", ""])},
    optional=dict.fromkeys(("requestId", "conversationId", "content", "turnId", "limit", "before"), json_values),
)


@given(st.one_of(st.text(max_size=200), json_values.map(json.dumps), near_requests.map(json.dumps)))
def test_any_body_is_a_request_or_one_typed_error(body: str) -> None:
    try:
        request = parse(body)
    except RolecallError as error:
        frame = Error.of(error, request_id_of(body)).wire()
        assert frame["code"] in {"INVALID_REQUEST", "UNKNOWN_ACTION"}
        assert frame["message"]
        assert frame["recoveryHint"]
        json.dumps(frame).encode()
    else:
        assert isinstance(request, ACTIONS[request.action])


def test_an_error_never_repeats_what_was_sent() -> None:
    secret = "my-secret-value"
    body = {"action": "agentChat", "conversationId": secret, "content": [secret], "messageId": secret}

    with pytest.raises(RolecallError) as error:
        parse(json.dumps(body))

    assert secret not in error.value.message
    assert "conversationId" in error.value.message


def test_every_error_code_has_a_recovery_hint() -> None:
    assert set(RECOVERY_HINTS) == set(ErrorCode)


def test_every_action_is_routed_by_its_own_name() -> None:
    for name, model in ACTIONS.items():
        assert model.model_fields["action"].annotation == type_of(name)


def type_of(name: str) -> Any:
    from typing import Literal

    return Literal[name]  # type: ignore[valid-type]


def test_a_message_keeps_its_fields_over_the_wire() -> None:
    chat = {
        "action": "agentChat",
        "conversationId": str(uuid4()),
        "messageId": str(uuid4()),
        "content": "Grüße 🧑‍💻",
        "pageContext": "talent_detail",
        "entityId": "x",
        "pagePathname": "/company",
        "forcedTools": ["get_me"],
        "timezone": "Europe/Stockholm",
        "taskCode": "recruitment_chat",
    }

    request = parse(json.dumps(chat))

    assert isinstance(request, AgentChat)
    wire = request.model_dump(mode="json", by_alias=True)
    assert {name: wire[name] for name in chat} == chat


def test_events_carry_turn_and_number_in_camel_case() -> None:
    for event in EVENTS:
        names = {field.alias or name for name, field in event.model_fields.items()}
        assert {"type", "turnId", "seq"} <= names
