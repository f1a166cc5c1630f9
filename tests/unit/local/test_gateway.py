import json
import os
import time
from pathlib import Path
from socket import SHUT_RDWR

import pytest
from websockets.exceptions import InvalidStatus

from local.gateway.server import Gateway, PortTaken
from rolecall.protocol import limits
from tests.fakes import handlers
from tests.fakes.clients import an_id, close_code, dial, say
from tests.fakes.waiting import eventually


def status_of_refusal(gateway, query):
    with pytest.raises(InvalidStatus) as refused, dial(gateway, query):
        pass
    return refused.value.response.status_code


def test_the_connect_event_has_api_gateways_shape(gateway, lambdas, clock):
    with dial(gateway, "token=a&x=1&x=2", subprotocols=["rolecall.v1", "secret"], origin="http://page") as socket:
        an_id(socket)
    (event,) = lambdas.of("CONNECT")
    assert event["headers"]["Origin"] == "http://page"
    assert event["headers"]["Sec-WebSocket-Protocol"] == "rolecall.v1, secret"
    assert event["multiValueHeaders"]["Origin"] == ["http://page"]
    assert event["queryStringParameters"] == {"token": "a", "x": "2"}
    assert event["multiValueQueryStringParameters"] == {"token": ["a"], "x": ["1", "2"]}
    assert event["isBase64Encoded"] is False
    context = event["requestContext"]
    assert context["routeKey"] == "$connect"
    assert context["eventType"] == "CONNECT"
    assert context["messageDirection"] == "IN"
    assert context["connectedAt"] == context["requestTimeEpoch"] == int(clock.now * 1000)
    assert context["requestTime"] == "15/Jan/2027:08:00:00 +0000"
    assert context["identity"]["sourceIp"] == "127.0.0.1"
    for name in ("connectionId", "requestId", "extendedRequestId", "domainName", "apiId", "stage"):
        assert isinstance(context[name], str)


def test_without_a_query_the_connect_event_has_no_query_keys(gateway, lambdas):
    lambdas.handlers["authorize"] = lambda event, _: handlers.allow(
        {**event, "queryStringParameters": {"token": "a"}}, None
    )
    with dial(gateway, ""):
        pass
    assert "queryStringParameters" not in lambdas.of("CONNECT")[0]


def test_the_authorizers_context_comes_as_text_with_every_event(gateway, lambdas):
    with dial(gateway) as socket:
        an_id(socket)
    eventually(lambda: lambdas.of("DISCONNECT"))
    for kind in ("CONNECT", "MESSAGE", "DISCONNECT"):
        authorizer = lambdas.of(kind)[0]["requestContext"]["authorizer"]
        assert isinstance(authorizer.pop("integrationLatency"), int)
        assert authorizer == {"principalId": "person-1", "companyId": "c1", "admin": "true", "exp": "17"}


def test_the_authorizer_gets_a_request_event(gateway, lambdas):
    with dial(gateway):
        pass
    name, event = lambdas.events[0]
    assert name == "authorize"
    assert event["type"] == "REQUEST"
    assert event["methodArn"].endswith("/$connect")
    assert event["queryStringParameters"] == {"token": "a"}
    assert event["requestContext"]["eventType"] == "CONNECT"


@pytest.mark.parametrize(
    ("query", "status"),
    [
        ("token=none", 401),
        ("", 401),
        ("token=deny", 403),
        ("token=broken", 500),
        ("token=nonsense", 500),
        ("token=a&refuse=403", 403),
        ("token=a&refuse=500", 500),
    ],
)
def test_a_refused_upgrade_says_why_and_leaves_no_disconnect(gateway, lambdas, query, status):
    assert status_of_refusal(gateway, query) == status
    time.sleep(0.05)
    assert lambdas.of("DISCONNECT") == []


@pytest.mark.parametrize(
    "answer",
    [
        None,
        [],
        {"principalId": 1, "policyDocument": {"Statement": []}},
        {"principalId": "p", "policyDocument": {"Statement": []}},
        {"principalId": "p", "policyDocument": {"Statement": ["Allow"]}},
        {"principalId": "p", "policyDocument": handlers.policy("Allow", "*"), "context": {"a": {}}},
        {"principalId": "p", "policyDocument": handlers.policy("Allow", [1])},
    ],
)
def test_a_malformed_authorizer_answer_is_a_500(gateway, lambdas, answer):
    lambdas.handlers["authorize"] = lambda event, context: answer
    assert status_of_refusal(gateway, "token=a") == 500


@pytest.mark.parametrize(
    ("resource", "allowed"),
    [("*", True), (["nothing", "arn:aws:execute-api:*:*:*/*/$connect"], True), ("arn:aws:execute-api:*/GET/", False)],
)
def test_a_policy_allows_only_what_its_resources_match(gateway, lambdas, resource, allowed):
    answer = {"principalId": "p", "policyDocument": handlers.policy("Allow", resource)}
    lambdas.handlers["authorize"] = lambda event, context: answer
    if allowed:
        with dial(gateway):
            return
    assert status_of_refusal(gateway, "token=a") == 403


def test_only_the_subprotocol_that_the_integration_chose_is_echoed(gateway, lambdas):
    with dial(gateway, subprotocols=["rolecall.v1", "secret-token"]) as socket:
        assert socket.subprotocol == "rolecall.v1"
    lambdas.handlers["front"] = lambda event, context: {"statusCode": 200}
    with dial(gateway, subprotocols=["rolecall.v1"]) as socket:
        assert socket.subprotocol is None


def test_an_action_goes_to_its_route_and_the_answers_body_comes_back(gateway, lambdas):
    with dial(gateway) as socket:
        event = say(socket, action="agentChat", content="hej")
        assert event["requestContext"]["routeKey"] == "agentChat"
        assert event["requestContext"]["eventType"] == "MESSAGE"
        assert json.loads(event["body"])["content"] == "hej"
        assert {"headers", "queryStringParameters"} & event.keys() == set()
        say(socket, do={"body": '"only this"'})
        socket.send(json.dumps({"do": {"body": ""}}))
        assert say(socket, do={"body": '"after silence"'}) == "after silence"


def case_bodies():
    shared = Path(os.environ.get("ROLECALL_SHARED") or Path(__file__).parents[4] / "shared")
    path = shared / "cases" / "cases.jsonl"
    if not path.exists():
        return []
    (case,) = (case for case in map(json.loads, path.read_text().splitlines()) if case["id"] == "b06")
    return case["input"]["bodies"][:-1]  # the last one stands for a binary frame


UNSELECTABLE = [
    "{not json",
    '[2,"id","x"]',
    '"ping"',
    "null",
    "",
    "17",
    '{"action":"$disconnect"}',
    '{"action":"$connect"}',
    '{"action":"$default"}',
    '{"action":{"a":1}}',
    '{"action":null}',
    '{"action":"Ping"}',
    '{"a":' + "[" * 9000 + "]" * 9000 + "}",
    '{"action":"sendMessage","message":"a\\u0000b"}',
    '{"action":"sendMessage","message":"\\ud83d"}',
]


@pytest.mark.parametrize("body", [*UNSELECTABLE, *case_bodies()])
def test_a_body_that_selects_no_route_goes_to_default(gateway, body):
    with dial(gateway) as socket:
        socket.send(body)
        event = json.loads(socket.recv(timeout=5))
        assert event["requestContext"]["routeKey"] == "$default"
        assert event["requestContext"]["eventType"] == "MESSAGE"
        assert event["body"] == body


def test_a_binary_frame_goes_to_default_in_base64(gateway):
    with dial(gateway) as socket:
        socket.send(b'{"action":"ping"}\xff')
        event = json.loads(socket.recv(timeout=5))
    assert event["requestContext"]["routeKey"] == "$default"
    assert event["isBase64Encoded"] is True
    assert event["body"] == "eyJhY3Rpb24iOiJwaW5nIn3/"


@pytest.mark.parametrize("do", [{"raise": "secret"}, {"status": 500}, {"status": "no"}, {"body": 17}])
def test_a_failed_integration_gives_api_gateways_error_frame(gateway, do):
    with dial(gateway) as socket:
        connection_id = an_id(socket)
        frame = say(socket, do=do)
        assert frame.keys() == {"message", "connectionId", "requestId"}
        assert frame["message"] == "Internal server error"
        assert frame["connectionId"] == connection_id


def test_an_integration_that_takes_too_long_gives_the_timeout_frame_and_goes_on(gateway):
    with dial(gateway) as socket:
        assert say(socket, do={"sleep": 1.2})["message"] == "Endpoint request timed out"
        an_id(socket)


def test_a_slow_message_does_not_hold_up_the_next(gateway):
    with dial(gateway) as socket:
        socket.send(json.dumps({"do": {"sleep": 0.5, "body": '"slow"'}}))
        assert say(socket, do={"body": '"quick"'}) == "quick"
        assert json.loads(socket.recv(timeout=5)) == "slow"


def test_messages_reach_the_function_in_order(gateway, lambdas):
    with dial(gateway) as socket:
        for number in range(50):
            socket.send(json.dumps({"action": "ping", "requestId": str(number)}))
        for _ in range(50):
            socket.recv(timeout=5)
    assert [json.loads(event["body"])["requestId"] for event in lambdas.of("MESSAGE")] == [str(n) for n in range(50)]


@pytest.mark.parametrize("excess", [0, 1])
def test_a_frame_over_32_kb_closes_with_1009(gateway, excess):
    with dial(gateway) as socket:
        socket.send("å" * (limits.FRAME_BYTES // 2) + "x" * excess)
        if excess:
            assert close_code(socket) == 1009
        else:
            assert json.loads(socket.recv(timeout=5))["requestContext"]["routeKey"] == "$default"


@pytest.mark.parametrize("excess", [0, 1])
def test_a_message_over_128_kb_closes_with_1009(gateway, excess):
    with dial(gateway, max_size=None) as socket:
        frames = ["x" * limits.FRAME_BYTES] * (limits.MESSAGE_BYTES // limits.FRAME_BYTES) + ["x"] * excess
        socket.send(iter(frames))
        if excess:
            assert close_code(socket) == 1009
        else:
            assert json.loads(socket.recv(timeout=5))["requestContext"]["routeKey"] == "$default"


def test_a_silent_connection_is_closed_after_ten_minutes(gateway, lambdas, clock):
    with dial(gateway) as socket:
        an_id(socket)
        clock.now += limits.IDLE_SECONDS - 1
        an_id(socket)
        clock.now += limits.IDLE_SECONDS - 1
        time.sleep(0.7)
        an_id(socket)
        clock.now += limits.IDLE_SECONDS
        assert close_code(socket) == 1001
    eventually(lambda: lambdas.of("DISCONNECT"))


def test_a_connection_is_closed_after_two_hours_however_busy(gateway, clock):
    with dial(gateway) as socket:
        for _ in range(limits.CONNECTION_SECONDS // (limits.IDLE_SECONDS // 2)):
            an_id(socket)
            clock.now += limits.IDLE_SECONDS // 2
        assert close_code(socket) == 1001


def test_a_post_keeps_a_connection_from_being_idle(gateway, clock, api):
    with dial(gateway) as socket:
        connection_id = an_id(socket)
        clock.now += limits.IDLE_SECONDS - 1
        api.post_to_connection(ConnectionId=connection_id, Data=b"x")
        clock.now += limits.IDLE_SECONDS - 1
        time.sleep(0.7)
        assert socket.recv(timeout=1) == "x"
        an_id(socket)


@pytest.mark.parametrize("code", [1000, 4001])
def test_the_disconnect_event_tells_the_clients_close_code(gateway, lambdas, code):
    with dial(gateway) as socket:
        connection_id = an_id(socket)
        socket.close(code, "bye")
    (event,) = eventually(lambda: lambdas.of("DISCONNECT"))
    context = event["requestContext"]
    assert context["routeKey"] == "$disconnect"
    assert context["connectionId"] == connection_id
    assert context["disconnectStatusCode"] == code
    assert context["disconnectReason"] == "bye"


def test_a_socket_that_dies_without_a_word_is_a_disconnect_too(gateway, lambdas):
    with dial(gateway) as socket:
        an_id(socket)
        socket.socket.shutdown(SHUT_RDWR)
        (event,) = eventually(lambda: lambdas.of("DISCONNECT"))
    assert event["requestContext"]["disconnectStatusCode"] == 1006


def test_a_taken_port_is_named(gateway, lambdas):
    with pytest.raises(PortTaken, match=str(gateway.port)):
        Gateway(gateway.port, lambdas).bind()


def test_stopping_closes_every_socket_and_tells_the_function(gateway, lambdas):
    with dial(gateway) as socket:
        an_id(socket)
        gateway.stop()
        assert close_code(socket) == 1001
    assert len(lambdas.of("DISCONNECT")) == 1
