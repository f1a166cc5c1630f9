"""The HTTP endpoint that boto3's `bedrock-runtime` client talks to."""

import contextlib
import socket
import sys
import threading
from collections import deque
from http.server import ThreadingHTTPServer
from typing import Any, Self

from local.bedrock.cache import PromptCache
from local.bedrock.handler import Handler
from local.bedrock.requests import RecordedRequest
from local.bedrock.script import Script
from local.recorder import Recorder

KEPT_REQUESTS = 1000
"""How many requests are remembered for tests to look at."""


class BedrockServer:
    """Bedrock's runtime API on one port of this machine.

    `script` says what the next requests get instead of the offline model's answer; `requests` holds what came,
    `side_requests` what came for the small offline model.
    """

    def __init__(self, host: str = "127.0.0.1", port: int = 0, *, chunk_delay: float = 0.015) -> None:
        self.script = Script()
        self.cache = PromptCache()
        self.requests: deque[RecordedRequest] = deque(maxlen=KEPT_REQUESTS)
        self.side_requests: deque[RecordedRequest] = deque(maxlen=KEPT_REQUESTS)
        self.recorder: Recorder | None = None
        self.chunk_delay = chunk_delay
        self.stopping = threading.Event()
        self._http = Http((host, port), self)
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), name="bedrock", daemon=True)

    @property
    def url(self) -> str:
        """The address for AWS_ENDPOINT_URL_BEDROCK_RUNTIME."""
        host, port = self._http.server_address[:2]
        return f"http://{host!s}:{port}"

    def start(self) -> Self:
        """Serve, in a thread of its own."""
        self._thread.start()
        return self

    def stop(self) -> None:
        """Stop serving and cut open connections."""
        self.stopping.set()
        if self._thread.is_alive():
            self._http.shutdown()
            self._thread.join()
        self._http.server_close()
        self._http.cut_connections()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()


class Http(ThreadingHTTPServer):
    """The listening socket, and the connections that it must end."""

    daemon_threads = True
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], bedrock: BedrockServer) -> None:
        self.bedrock = bedrock
        self._open: set[socket.socket] = set()
        self._lock = threading.Lock()
        super().__init__(address, Handler)

    def process_request(self, request: Any, client_address: Any) -> None:
        """Remember the connection, so that stopping can end it."""
        with self._lock:
            self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        """Forget a connection that has ended."""
        with self._lock:
            self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Report what a handler raised; a client that went away between two calls is no error."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)

    def cut_connections(self) -> None:
        """Shut all open connections down; their threads then end."""
        with self._lock:
            connections = list(self._open)
        for connection in connections:
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)
