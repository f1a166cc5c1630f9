"""Notes which function called which action on what, so that a test can ask whether its role in AWS may."""

import io
import json
import re
import threading
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from rolecall.conversations.attachments.keys import PREFIX as ATTACHMENTS

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

_FUNCTION: Final = re.compile(r"\bapp/rolecall-([a-z-]+)")
"""botocore sends AWS_SDK_UA_APP_ID as `app/…` in the User-Agent; every worker has its function's name there."""
_TARGETS: Final = {"DynamoDB_20120810": "dynamodb", "AWSStepFunctions": "states", "AmazonSQS": "sqs"}
_S3: Final = {"GET": "s3:GetObject", "HEAD": "s3:GetObject", "PUT": "s3:PutObject", "DELETE": "s3:DeleteObject"}

Noted = tuple[str, str, str]
"""(function, action, kind of resource)"""


class Recorder:
    """What was called since the start. Threads may share it."""

    def __init__(self) -> None:
        self._noted: set[Noted] = set()
        self._lock = threading.Lock()

    @property
    def noted(self) -> list[Noted]:
        """Every call, once."""
        with self._lock:
            return sorted(self._noted)

    def note(self, user_agent: str | None, action: str, resource: str) -> None:
        """Note a call; one that comes from no function of ours is left out."""
        match = _FUNCTION.search(user_agent or "")
        if match is not None:
            with self._lock:
                self._noted.add((match[1], action, resource))

    def middleware(self, app: "WSGIApplication") -> "WSGIApplication":
        """Wrap moto."""

        def recorded(environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
            environ, body = _with_body(environ)
            for action, resource in _calls(environ, body):
                self.note(environ.get("HTTP_USER_AGENT"), action, resource)
            return app(environ, start_response)

        return recorded


def _with_body(environ: "WSGIEnvironment") -> "tuple[WSGIEnvironment, Mapping[str, Any]]":
    """Read the body of a JSON call, and leave it to be read again."""
    length = environ.get("CONTENT_LENGTH") or ""
    if "HTTP_X_AMZ_TARGET" not in environ or not length.isdecimal():
        return environ, {}
    raw = environ["wsgi.input"].read(int(length))
    again = {**environ, "wsgi.input": io.BytesIO(raw)}
    try:
        body = json.loads(raw)
    except ValueError:
        return again, {}
    return again, body if isinstance(body, dict) else {}


def _calls(environ: "WSGIEnvironment", body: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    target = str(environ.get("HTTP_X_AMZ_TARGET", ""))
    service, _, verb = target.partition(".")
    if not target:
        _, slash, key = environ["PATH_INFO"].strip("/").partition("/")
        if slash and environ["REQUEST_METHOD"] in _S3:
            yield _S3[environ["REQUEST_METHOD"]], "attachment" if key.startswith(ATTACHMENTS) else "object"
    elif verb == "TransactWriteItems":
        for item in body.get("TransactItems", []):
            for kind in item:
                yield f"dynamodb:{kind}{'Item' if kind != 'ConditionCheck' else ''}", "table"
    elif service in _TARGETS:
        yield f"{_TARGETS[service]}:{verb}", _resource(verb, body)


def _resource(verb: str, body: Mapping[str, Any]) -> str:
    if "TableName" in body:
        return "table"
    return "execution" if verb == "StopExecution" else "machine" if "stateMachineArn" in body else "other"
