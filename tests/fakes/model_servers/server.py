"""The HTTP side that all of them share: keys, faults, and answers in server-sent events."""

import json
import socket
import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Protocol, Self

from local.bedrock.answer import Answer
from local.bedrock.answering import answer_for
from local.bedrock.script import Delay, Fail, Hang, Script, StreamError, TruncateStream

RIGHT_KEY = "sk-right-0123456789"


class Refused(Exception):
    """The API says no."""

    def __init__(self, status: int, message: str, code: str | None = None) -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


@dataclass(frozen=True)
class Asked:
    """One request as it came."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]


class Dialect(Protocol):
    """How one API words things."""

    def key(self, headers: dict[str, str]) -> str | None: ...
    def error(self, refused: Refused) -> dict[str, Any]: ...
    def plain(self, asked: Asked) -> Any:
        """The whole answer to a request that is no chat; None if it is one."""

    def converse(self, asked: Asked) -> dict[str, Any]:
        """Check the request and write it as Converse, for the offline model; raise Refused."""

    def frames(self, answer: Answer, asked: Asked, tokens: tuple[int, int]) -> Iterator[tuple[bytes, bool]]:
        """The stream: frames, each with whether it is a delta."""

    def stream_error(self, message: str) -> bytes: ...


class ModelServer:
    """One API on a port of this machine; `script` as of `local.bedrock`, `asked` holds what came."""

    def __init__(self, dialect: Dialect, port: int = 0) -> None:
        self.dialect = dialect
        self.script = Script()
        self.asked: list[Asked] = []
        self.stopping = threading.Event()
        self._http = ThreadingHTTPServer(("127.0.0.1", port), _Handler)
        self._http.daemon_threads = True
        self._http.owner = self  # type: ignore[attr-defined]
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.05,), name="models", daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}"

    @property
    def chats(self) -> list[Asked]:
        return [asked for asked in self.asked if "messages" in asked.body or "contents" in asked.body]

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.shutdown()
        self._thread.join()
        self._http.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        """Say nothing."""

    def do_GET(self) -> None:
        self._serve({})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        self._serve(json.loads(raw or b"{}"))

    def _serve(self, body: dict[str, Any]) -> None:
        owner: ModelServer = self.server.owner  # type: ignore[attr-defined]
        asked = Asked(self.path, {name.lower(): value for name, value in self.headers.items()}, body)
        owner.asked.append(asked)
        try:
            self._answer(owner, asked)
        except Refused as refused:
            self._send(refused.status, owner.dialect.error(refused))
        except (ConnectionError, TimeoutError):
            self.close_connection = True

    def _answer(self, owner: ModelServer, asked: Asked) -> None:
        if owner.dialect.key(asked.headers) not in (RIGHT_KEY, None):
            raise Refused(401, f"Incorrect API key provided: {owner.dialect.key(asked.headers)}.", "invalid_api_key")
        if (plain := owner.dialect.plain(asked)) is not None:
            self._send(200, plain)
            return
        converse = owner.dialect.converse(asked)
        steps = owner.script.take(asked.body)
        for step in steps:
            if isinstance(step, Delay):
                owner.stopping.wait(step.seconds)
            if isinstance(step, Fail):
                raise Refused(step.status, step.message, step.code)
        answer = answer_for(steps, converse, "fake")
        tokens = (len(json.dumps(asked.body)) // 4, answer.output_tokens())
        faults = [step for step in steps if isinstance(step, StreamError | TruncateStream | Hang)]
        self._stream(owner, owner.dialect.frames(answer, asked, tokens), faults)

    def _stream(self, owner: ModelServer, frames: Iterator[tuple[bytes, bool]], faults: list[Any]) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("transfer-encoding", "chunked")
        self.end_headers()
        deltas = 0
        for frame, is_delta in frames:
            for fault in faults:
                if is_delta and deltas >= fault.after_chunks:
                    self._fault(owner, fault, frame)
                    return
            self._chunk(frame)
            deltas += is_delta
        self._chunk(b"")

    def _fault(self, owner: ModelServer, fault: Any, frame: bytes) -> None:
        if isinstance(fault, StreamError):
            self._chunk(owner.dialect.stream_error(fault.message))
            self._chunk(b"")
        elif isinstance(fault, Hang):
            self._hang(owner)
        elif fault.mid_frame:
            self.wfile.write(b"%x\r\n" % len(frame) + frame[: len(frame) // 2])
            self.wfile.flush()
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
        else:
            self._chunk(b"")

    def _hang(self, owner: ModelServer) -> None:
        self.close_connection = True
        self.connection.settimeout(0.05)
        while not owner.stopping.is_set():
            try:
                if not self.connection.recv(1):
                    return
            except TimeoutError:
                time.sleep(0.01)

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
        self.wfile.flush()

    def _send(self, status: int, body: Any) -> None:
        raw = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(raw)))
        self.end_headers()
        self.wfile.write(raw)


def sse(body: Any, event: str | None = None) -> bytes:
    """One server-sent event."""
    head = f"event: {event}\n" if event else ""
    return f"{head}data: {body if isinstance(body, str) else json.dumps(body)}\n\n".encode()
