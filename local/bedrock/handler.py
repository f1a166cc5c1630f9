"""One connection of the endpoint: reads calls, refuses what Bedrock refuses, writes whole or streamed answers."""

import contextlib
import json
import logging
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from local.bedrock import embeddings, eventstream
from local.bedrock.answer import events, whole
from local.bedrock.answering import answer_for
from local.bedrock.requests import OFFLINE_SMALL_MODEL, RecordedRequest, Refusal, check_converse, check_model, route
from local.bedrock.script import Delay, Fail, Hang, Step, StreamError, TruncateStream

if TYPE_CHECKING:
    from local.bedrock.server import Http

log = logging.getLogger(__name__)

ACTIONS = {
    "converse": "bedrock:InvokeModel",
    "converse-stream": "bedrock:InvokeModelWithResponseStream",
    "invoke": "bedrock:InvokeModel",
}
"""IAM's name of each operation."""


class _Cut(Exception):
    """The connection ends here, on purpose."""


class Handler(BaseHTTPRequestHandler):
    """Answers the calls of one connection."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: "Http"

    def do_POST(self) -> None:
        """Answer one call."""
        try:
            body = self._read()
            operation, model_id = route(self.path)
            self._answer(operation, model_id, body)
        except Refusal as refusal:
            headers = {"x-amzn-errortype": refusal.code}
            self._send(refusal.status, {"message": refusal.message}, headers)
        except (_Cut, ConnectionError):
            self.close_connection = True  # a cut on purpose, or a client that went away
        except Exception:
            log.exception("the endpoint failed")
            self.close_connection = True
            self._send(500, {"message": "The local endpoint failed."}, {"x-amzn-errortype": "InternalServerException"})

    def _read(self) -> dict[str, Any]:
        raw = self.rfile.read(int(self.headers.get("content-length") or 0))
        try:
            body = json.loads(raw or b"{}")
        except ValueError as exc:
            raise Refusal("SerializationException", 400, "The body is not valid JSON.") from exc
        if not isinstance(body, dict):
            raise Refusal("SerializationException", 400, "The body is not a JSON object.")
        return body

    def _answer(self, operation: str, model_id: str, body: dict[str, Any]) -> None:
        bedrock = self.server.bedrock
        small = model_id == OFFLINE_SMALL_MODEL
        kept = bedrock.side_requests if small else bedrock.requests
        kept.append(RecordedRequest(operation, model_id, body))
        if bedrock.recorder is not None:
            bedrock.recorder.note(self.headers.get("user-agent"), ACTIONS[operation], "model")
        check_model(operation, model_id)
        if operation != "invoke":
            check_converse(body)
        started = time.monotonic()
        steps = bedrock.script.take(body, small=small)
        self._before(steps)
        if operation == "invoke":
            self._send(200, embeddings.invoke(body))
            return
        answer = answer_for(steps, body, model_id)
        usage = bedrock.cache.use(model_id, body).usage(answer.output_tokens())
        latency = int((time.monotonic() - started) * 1000)
        if operation == "converse":
            self._whole(steps, whole(answer, usage, latency))
        else:
            self._stream(steps, events(answer, usage, latency))

    def _before(self, steps: tuple[Step, ...]) -> None:
        for step in steps:
            if isinstance(step, Delay):
                self.server.bedrock.stopping.wait(step.seconds)
            if isinstance(step, Fail):
                raise Refusal(step.code, step.status, step.message)

    def _whole(self, steps: tuple[Step, ...], body: dict[str, Any]) -> None:
        for step in steps:
            if isinstance(step, StreamError):
                raise Refusal("ModelErrorException", 424, step.message)
            if isinstance(step, Hang):
                self._hang()
            if isinstance(step, TruncateStream):
                raise _Cut
        self._send(200, body)

    def _stream(self, steps: tuple[Step, ...], answer: Iterator[tuple[str, dict[str, Any]]]) -> None:
        self.send_response(200)
        self.send_header("content-type", eventstream.CONTENT_TYPE)
        self.send_header("transfer-encoding", "chunked")
        self.send_header("x-amzn-requestid", str(uuid4()))
        self.end_headers()
        faults = [step for step in steps if isinstance(step, StreamError | TruncateStream | Hang)]
        chunks = 0
        for name, body in answer:
            frame = eventstream.event(name, body)
            for fault in faults:
                if chunks >= fault.after_chunks or name == "messageStop":
                    self._fault(fault, frame)
                    return
            self._chunk(frame)
            if name == "contentBlockDelta":
                chunks += 1
                self._pace()
        self._chunk(b"")

    def _fault(self, fault: StreamError | TruncateStream | Hang, frame: bytes) -> None:
        if isinstance(fault, StreamError):
            self._chunk(eventstream.exception(fault.code, fault.message))
        elif isinstance(fault, Hang):
            self._hang()
        elif fault.mid_frame:
            self._chunk(frame[: len(frame) // 2])
            raise _Cut
        self._chunk(b"")

    def _hang(self) -> None:
        self.connection.settimeout(0.05)
        while not self.server.bedrock.stopping.is_set():
            with contextlib.suppress(TimeoutError):
                if not self.connection.recv(1):
                    break
        raise _Cut

    def _pace(self) -> None:
        if self.server.bedrock.chunk_delay:
            self.server.bedrock.stopping.wait(self.server.bedrock.chunk_delay)

    def _chunk(self, data: bytes) -> None:
        self.wfile.write(b"%x\r\n%b\r\n" % (len(data), data))

    def _send(self, status: int, body: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        data = json.dumps(body).encode()
        self.send_response(status)
        for name, value in (headers or {}).items():
            self.send_header(name, value)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("x-amzn-requestid", str(uuid4()))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Log a request quietly."""
        log.debug(format, *args)
