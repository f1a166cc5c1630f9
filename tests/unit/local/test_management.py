import socket as sockets

import httpx
import pytest
from botocore.exceptions import ClientError

from rolecall.protocol import limits
from tests.fakes.clients import an_id, close_code, dial


def test_a_post_arrives_as_a_text_message(gateway, api):
    with dial(gateway) as socket:
        api.post_to_connection(ConnectionId=an_id(socket), Data="hej åäö")
        assert socket.recv(timeout=5) == "hej åäö"


def test_posts_arrive_in_order(gateway, api):
    with dial(gateway) as socket:
        connection_id = an_id(socket)
        for number in range(30):
            api.post_to_connection(ConnectionId=connection_id, Data=str(number))
        assert [socket.recv(timeout=5) for _ in range(30)] == [str(number) for number in range(30)]


@pytest.mark.parametrize("excess", [0, 1])
def test_a_post_over_128_kb_is_too_large(gateway, api, excess):
    with dial(gateway) as socket:
        connection_id = an_id(socket)
        data = b"x" * (limits.MESSAGE_BYTES + excess)
        if excess:
            with pytest.raises(api.exceptions.PayloadTooLargeException):
                api.post_to_connection(ConnectionId=connection_id, Data=data)
        else:
            api.post_to_connection(ConnectionId=connection_id, Data=data)
            assert len(socket.recv(timeout=5)) == limits.MESSAGE_BYTES


@pytest.mark.parametrize("call", ["post", "get", "delete"])
def test_a_closed_connection_is_gone(gateway, api, call):
    with dial(gateway) as socket:
        connection_id = an_id(socket)
    for identifier in (connection_id, "AAAAAAAAAAAAAAA="):
        with pytest.raises(api.exceptions.GoneException) as gone:
            {
                "post": lambda i=identifier: api.post_to_connection(ConnectionId=i, Data=b"x"),
                "get": lambda i=identifier: api.get_connection(ConnectionId=i),
                "delete": lambda i=identifier: api.delete_connection(ConnectionId=i),
            }[call]()
        assert gone.value.response["ResponseMetadata"]["HTTPStatusCode"] == 410


def test_a_malformed_id_is_a_bad_request(api):
    with pytest.raises(ClientError) as refused:
        api.post_to_connection(ConnectionId="no such/id", Data=b"x")
    assert refused.value.response["Error"]["Code"] == "BadRequestException"
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 400


def test_a_connection_tells_its_times(gateway, api, clock):
    with dial(gateway) as socket:
        connected = clock.now
        clock.now += 60
        connection_id = an_id(socket)
        found = api.get_connection(ConnectionId=connection_id)
    assert found["ConnectedAt"].timestamp() == connected
    assert found["LastActiveAt"].timestamp() == connected + 60
    assert found["Identity"]["SourceIp"] == "127.0.0.1"


def test_a_deleted_connection_is_closed_and_disconnected(gateway, api, lambdas):
    with dial(gateway) as socket:
        connection_id = an_id(socket)
        api.delete_connection(ConnectionId=connection_id)
        assert close_code(socket) == 1000
    with pytest.raises(api.exceptions.GoneException):
        api.post_to_connection(ConnectionId=connection_id, Data=b"x")


def test_a_post_inside_connect_finds_nobody(gateway, api, lambdas):
    answers = []

    def front(event, _):
        if event["requestContext"]["eventType"] == "CONNECT":
            with pytest.raises(api.exceptions.GoneException) as gone:
                api.post_to_connection(ConnectionId=event["requestContext"]["connectionId"], Data=b"early")
            answers.append(gone.value.response["Error"]["Code"])
        return {"statusCode": 200}

    lambdas.handlers["front"] = front
    with dial(gateway):
        pass
    assert answers == ["GoneException"]


def test_health_is_told_over_plain_http(gateway):
    answer = httpx.get(f"http://127.0.0.1:{gateway.port}/health")
    assert answer.status_code == 200
    assert answer.json() == {"status": "ok"}
    assert httpx.get(f"http://127.0.0.1:{gateway.port}/else").status_code == 404


@pytest.mark.parametrize("junk", [b"GET / HTTP/9\r\n\r\n", b"POST /health HTTP/1.1\r\n\r\n", b"\x00" * 200, b"GET /"])
def test_junk_on_the_public_port_harms_nobody(gateway, junk):
    with sockets.create_connection(("127.0.0.1", gateway.port)) as raw:
        raw.sendall(junk)
    with dial(gateway) as socket:
        assert an_id(socket)
