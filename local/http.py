"""A small HTTP/1.1 server for the local endpoints: one function answers every request."""

import json
import logging
import socket
import sys
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from email.message import Message
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

log = logging.getLogger("local.http")

BODY_BYTES = 16 * 1024 * 1024
"""Bodies over this are refused unread."""


@dataclass(frozen=True)
class Call:
    """A request: `path` is as it was sent, still percent-encoded, without the query."""

    method: str
    path: str
    query: str
    headers: "Message[str, str]"
    body: bytes


@dataclass(frozen=True)
class Reply:
    """A response."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of_json(cls, status: int, content: object, headers: dict[str, str] | None = None) -> "Reply":
        """Build a JSON response."""
        return cls(status, json.dumps(content).encode(), {"Content-Type": "application/json", **(headers or {})})

    @classmethod
    def of_error(cls, status: int, kind: str, message: str) -> "Reply":
        """Build an error that botocore turns into the exception named `kind`."""
        content = {"Type": "User" if status < 500 else "Service", "message": message, "Message": message}
        return cls.of_json(status, content, {"x-amzn-errortype": kind})


Answer = Callable[[Call], Reply]


class _Refused(Exception):
    def __init__(self, reply: Reply) -> None:
        super().__init__()
        self.reply = reply


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    wbufsize = -1
    timeout = 600
    server: "_Server"

    def log_message(self, format: str, *args: Any) -> None:
        log.debug(format, *args)

    def _body(self) -> bytes:
        if "chunked" in self.headers.get("Transfer-Encoding", "").lower():
            raise _Refused(Reply.of_error(411, "MissingContentLength", "Send a Content-Length."))
        text = self.headers.get("Content-Length", "0")
        if not text.isdecimal():
            raise _Refused(Reply.of_error(400, "BadRequest", "Content-Length is not a number."))
        if int(text) > BODY_BYTES:
            raise _Refused(
                Reply.of_error(413, "RequestTooLargeException", f"Request must be smaller than {BODY_BYTES} bytes.")
            )
        return self.rfile.read(int(text))

    def _answer(self) -> Reply:
        path, _, query = self.path.partition("?")
        try:
            return self.server.answer(Call(self.command, path, query, self.headers, self._body()))
        except _Refused as refused:
            self.close_connection = True  # the body was left unread
            return refused.reply
        except Exception:
            log.exception("a local endpoint failed: %s %s", self.command, path)
            return Reply.of_error(500, "ServiceException", "The local endpoint failed; its log says why.")

    def _serve(self) -> None:
        reply = self._answer()
        self.send_response(reply.status)
        for name, value in reply.headers.items():
            self.send_header(name, value)
        if reply.status != 204:
            self.send_header("Content-Length", str(len(reply.body)))
        if self.close_connection:
            self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(reply.body)
        self.wfile.flush()

    do_GET = do_HEAD = do_POST = do_PUT = do_DELETE = do_PATCH = do_OPTIONS = _serve  # noqa: N815


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], answer: Answer) -> None:
        super().__init__(address, _Handler)
        self.answer = answer
        self.open: set[socket.socket] = set()

    def process_request(self, request: Any, client_address: Any) -> None:
        self.open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self.open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ARG002
        log.debug("a connection to a local endpoint broke: %s", sys.exc_info()[1])


class HttpServer:
    """Serves `answer` on 127.0.0.1 in threads until stopped."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self._server: _Server | None = None

    @property
    def url(self) -> str:
        """Address of the server, once started."""
        if self._server is None:
            raise RuntimeError("The server is not started.")
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def start(self) -> None:
        """Listen on a free port and begin to answer."""
        self._server = _Server(("127.0.0.1", 0), self._answer)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Stop listening and hang up on everyone; does nothing twice."""
        server, self._server = self._server, None
        if server is None:
            return
        server.shutdown()
        server.server_close()
        for connection in list(server.open):
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError as exc:
                log.debug("already hung up: %s", exc)
        self._thread.join()
