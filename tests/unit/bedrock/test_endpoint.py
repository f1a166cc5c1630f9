import json
import socket
import struct
import threading
import time
import zlib
from http.client import HTTPConnection

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.bedrock import eventstream
from local.bedrock.answer import Say
from local.bedrock.requests import RecordedRequest
from local.bedrock.script import Hang, Throttle
from local.bedrock.server import BedrockServer
from rolecall.llm.access import Access
from rolecall.llm.embeddings import embed


def post(endpoint, path, body):
    connection = HTTPConnection(*endpoint.url.removeprefix("http://").split(":"), timeout=5)
    try:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        connection.request("POST", path, data)
        response = connection.getresponse()
        return response.status, response.getheader("x-amzn-errortype"), response.read()
    finally:
        connection.close()


TITAN = "/model/amazon.titan-embed-text-v2%3A0"
CONVERSE = "/model/rolecall.offline-v1/converse"
HELLO = {"messages": [{"role": "user", "content": [{"text": "hello"}]}]}


@pytest.mark.parametrize(
    ("path", "body", "status", "code"),
    [
        (CONVERSE, b"not json", 400, "SerializationException"),
        (CONVERSE, b"[1]", 400, "SerializationException"),
        (CONVERSE, {"messages": "x"}, 400, "ValidationException"),
        (CONVERSE, {"messages": [{"role": "user", "content": ["x"]}]}, 400, "ValidationException"),
        (CONVERSE, {}, 400, "ValidationException"),
        ("/model/a/b/c", {}, 404, "UnknownOperationException"),
        (f"{TITAN}/converse", HELLO, 400, "ValidationException"),
        ("/model/rolecall.offline-v1/invoke", {"inputText": "x"}, 400, "ValidationException"),
        (
            f"{TITAN}/invoke",
            {"inputText": "x", "dimensions": 7},
            400,
            "ValidationException",
        ),
    ],
)
def test_a_call_that_cannot_be_used_is_refused_in_the_services_shape(endpoint, path, body, status, code):
    got_status, got_code, raw = post(endpoint, path, body)
    assert (got_status, got_code) == (status, code)
    assert json.loads(raw)["message"]


def test_a_connection_serves_one_call_after_another_and_requests_are_recorded(endpoint):
    assert post(endpoint, CONVERSE, HELLO)[0] == 200
    assert list(endpoint.requests) == [RecordedRequest("converse", "rolecall.offline-v1", HELLO)]


def test_embedding_waits_out_throttling(endpoint):
    endpoint.script.push(Throttle(times=2))
    assert len(embed(["hi"], model="amazon.titan-embed-text-v2:0", access=Access(region="eu-north-1"))[0]) == 1024


def test_stopping_the_server_ends_a_hanging_answer():
    server = BedrockServer(chunk_delay=0).start()
    server.script.push(Say("one two"), Hang(after_chunks=1))
    ended = threading.Event()

    def read():
        with socket.create_connection(tuple(server.url.removeprefix("http://").split(":")), timeout=10) as client:
            body = json.dumps(HELLO).encode()
            head = f"POST {CONVERSE}-stream HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n"
            client.sendall(head.encode() + body)
            while client.recv(4096):
                pass
        ended.set()

    reader = threading.Thread(target=read)
    reader.start()
    while not server.requests:
        time.sleep(0.01)
    server.stop()
    reader.join(5)
    assert ended.is_set()


@given(st.dictionaries(st.text("abc:-", min_size=1, max_size=20), st.text(max_size=50)), st.binary(max_size=200))
def test_a_frame_holds_its_lengths_and_both_checksums(headers, payload):
    frame = eventstream.encode(headers, payload)
    total, head, prelude_crc = struct.unpack("!III", frame[:12])
    assert total == len(frame)
    assert zlib.crc32(frame[:8]) == prelude_crc
    assert frame[12 + head : -4] == payload
    assert struct.unpack("!I", frame[-4:])[0] == zlib.crc32(frame[:-4])
