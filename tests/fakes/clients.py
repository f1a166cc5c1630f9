"""Clients of the gateway, as a test writes them."""

import json

import pytest
from websockets.exceptions import ConnectionClosed
from websockets.sync.client import connect


def dial(gateway, query="token=a", **more):
    return connect(f"ws://127.0.0.1:{gateway.port}/?{query}", **more)


def say(socket, **body):
    socket.send(json.dumps(body))
    return json.loads(socket.recv(timeout=5))


def an_id(socket):
    return say(socket, action="ping")["requestContext"]["connectionId"]


def close_code(socket):
    with pytest.raises(ConnectionClosed) as closed:
        socket.recv(timeout=5)
    return closed.value.rcvd.code
