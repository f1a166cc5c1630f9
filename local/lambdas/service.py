"""Lambda's HTTP API over the pools: what `boto3.client("lambda").invoke` talks to."""

import base64
import json
import re
import uuid
from collections.abc import Iterable
from concurrent.futures import Future
from typing import Any
from urllib.parse import unquote

from local.faults import DeliveryRule
from local.http import Call, HttpServer, Reply
from local.lambdas.events import EventQueue, SendToQueue
from local.lambdas.model import ACCOUNT, REGION, Invocation, Outcome, Spec
from local.lambdas.pool import Pool
from local.recorder import Recorder
from rolecall.protocol.limits import EVENT_PAYLOAD_BYTES, SYNC_PAYLOAD_BYTES

INVOKE = re.compile(r"/2015-03-31/functions/([^/]+)/invocations/?")
NAME = re.compile(r"(?:(?:arn:aws:lambda:[a-z0-9-]+:)?\d{12}:function:)?([A-Za-z0-9_-]+)(?::[^:]+)?")
TAIL_BYTES = 4096

LIMITS = {"RequestResponse": SYNC_PAYLOAD_BYTES, "Event": EVENT_PAYLOAD_BYTES, "DryRun": SYNC_PAYLOAD_BYTES}


class LambdaService:
    """Every function of the stack, invocable in this process and over HTTP."""

    def __init__(
        self,
        specs: Iterable[Spec] = (),
        *,
        send_to_queue: SendToQueue,
        rule: DeliveryRule | None = None,
        max_workers: int = 4,
        recorder: Recorder | None = None,
    ) -> None:
        self._recorder = recorder
        self._max_workers = max_workers
        self.pools: dict[str, Pool] = {}
        self.add(specs)
        self.events = EventQueue(rule=rule, send_to_queue=send_to_queue)
        self._http = HttpServer(self._answer)

    @property
    def url(self) -> str:
        """Address of the endpoint."""
        return self._http.url

    def add(self, specs: Iterable[Spec]) -> None:
        """Make functions known."""
        for spec in specs:
            self.pools[spec.name] = Pool(spec, self._max_workers)

    def prewarm(self, name: str) -> None:
        """Start a first worker of a function, if the function is known."""
        if name in self.pools:
            self.pools[name].prewarm()

    def start(self) -> None:
        """Begin to answer."""
        self.events.start()
        self._http.start()

    def stop(self) -> None:
        """Kill all workers and stop answering."""
        self.events.stop()
        for pool in self.pools.values():
            pool.close()
        self._http.stop()

    def invoke(self, name: str, event: object) -> "Future[Outcome]":
        """Invoke a function and get its outcome later; calls of one thread keep their order."""
        return self.invoke_raw(name, json.dumps(event).encode())

    def invoke_raw(
        self, name: str, event: bytes, request_id: str | None = None, client: dict[str, Any] | None = None
    ) -> "Future[Outcome]":
        """Invoke a function with an event that is JSON already."""
        invocation = Invocation(event=event, request_id=request_id or str(uuid.uuid4()), client_context=client)
        return self.pools[name].submit(invocation)

    def send_event(self, name: str, event: object) -> None:
        """Invoke a function asynchronously."""
        self.events.submit(self.pools[name], json.dumps(event).encode(), str(uuid.uuid4()))

    def _answer(self, call: Call) -> Reply:
        match = INVOKE.fullmatch(call.path)
        if call.method != "POST" or match is None:
            return Reply.of_error(404, "ResourceNotFoundException", f"No such operation: {call.method} {call.path}")
        name = NAME.fullmatch(unquote(match[1]))
        pool = self.pools.get(name[1]) if name else None
        if pool is None:
            arn = f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{unquote(match[1])}"
            return Reply.of_error(404, "ResourceNotFoundException", f"Function not found: {arn}")
        if self._recorder is not None:
            resource = f"function:{pool.spec.name}"
            self._recorder.note(call.headers.get("User-Agent"), "lambda:InvokeFunction", resource)
        kind = call.headers.get("X-Amz-Invocation-Type") or "RequestResponse"
        refusal = _refusal(kind, call.body)
        return refusal or self._invoke(pool, kind, call)

    def _invoke(self, pool: Pool, kind: str, call: Call) -> Reply:
        request_id = str(uuid.uuid4())
        event = call.body or b"{}"
        headers = {"x-amzn-RequestId": request_id, "Content-Type": "application/json"}
        if kind == "DryRun":
            return Reply(204, headers=headers)
        if kind == "Event":
            self.events.submit(pool, event, request_id)
            return Reply(202, headers=headers)
        client = _client_context(call.headers.get("X-Amz-Client-Context"))
        outcome = self.invoke_raw(pool.spec.name, event, request_id, client).result()
        if outcome.condition == "throttled":
            return Reply.of_error(429, "TooManyRequestsException", "Rate Exceeded.")
        headers["X-Amz-Executed-Version"] = "$LATEST"
        if outcome.error:
            headers["X-Amz-Function-Error"] = outcome.error
        if call.headers.get("X-Amz-Log-Type") == "Tail":
            headers["X-Amz-Log-Result"] = _log_tail(pool.spec)
        return Reply(200, outcome.payload, headers)


def _refusal(kind: str, body: bytes) -> Reply | None:
    limit = LIMITS.get(kind)
    if limit is None:
        return Reply.of_error(400, "InvalidParameterValueException", f"Unknown invocation type: {kind}")
    if len(body) > limit:
        message = f"{len(body)} byte payload is too large for the {kind} invocation type (limit {limit} bytes)"
        return Reply.of_error(413, "RequestEntityTooLargeException", message)
    try:
        json.loads(body.decode() or "{}")
    except (ValueError, RecursionError) as exc:
        message = f"Could not parse request body into json: {exc}"
        return Reply.of_error(400, "InvalidRequestContentException", message)
    return None


def _client_context(header: str | None) -> dict[str, Any] | None:
    if not header:
        return None
    try:
        content = json.loads(base64.b64decode(header))
    except ValueError:
        return None
    return content if isinstance(content, dict) else None


def _log_tail(spec: Spec) -> str:
    """Return the end of the function's log, of whichever invocation wrote it."""
    if not spec.log_path.exists():
        return ""
    with spec.log_path.open("rb") as log:
        log.seek(max(0, spec.log_path.stat().st_size - TAIL_BYTES))
        return base64.b64encode(log.read()).decode()
