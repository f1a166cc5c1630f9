"""Step Functions' limit on an execution's input, which moto does not check."""

import io
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING

from rolecall.protocol.limits import STATE_BYTES

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment


class StateLimit:
    """WSGI middleware that refuses StartExecution with more input than a state may hold."""

    def __init__(self, app: "WSGIApplication") -> None:
        self._app = app

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request."""
        length = environ.get("CONTENT_LENGTH") or ""
        if (
            environ.get("HTTP_X_AMZ_TARGET") != "AWSStepFunctions.StartExecution"
            or not length.isdecimal()
            or int(length) <= STATE_BYTES
        ):
            return self._app(environ, start_response)
        body = environ["wsgi.input"].read(int(length))
        if _input_bytes(body) <= STATE_BYTES:
            return self._app({**environ, "wsgi.input": io.BytesIO(body)}, start_response)
        message = (
            "1 validation error detected: Value at 'input' failed to satisfy constraint: "
            f"Member must have length less than or equal to {STATE_BYTES}"
        )
        answer = json.dumps({"__type": "ValidationException", "message": message}).encode()
        headers = [("Content-Type", "application/x-amz-json-1.0"), ("Content-Length", str(len(answer)))]
        start_response("400 Bad Request", headers)
        return [answer]


def _input_bytes(body: bytes) -> int:
    try:
        return len(json.loads(body)["input"].encode())
    except (ValueError, KeyError, TypeError, AttributeError):
        return 0  # moto says what is wrong with it
