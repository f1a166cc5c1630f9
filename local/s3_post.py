"""Uploads by presigned POST: S3's checks of the policy, of which moto makes none."""

import base64
import hashlib
import hmac
import io
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Request

from local.environment import CREDENTIALS

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

UPLOAD_BYTES = 512 * 1024 * 1024
_FREE_FIELDS = {"policy", "x-amz-signature", "file", "awsaccesskeyid"}
"""Form fields that a policy need not mention."""


class _Refused(Exception):
    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.code = code


def _denied(message: str) -> _Refused:
    return _Refused(403, "AccessDenied", message)


class PostPolicies:
    """WSGI middleware that lets an upload form through to S3 only if its policy allows it."""

    def __init__(self, app: "WSGIApplication") -> None:
        self._app = app

    def __call__(self, environ: "WSGIEnvironment", start_response: "StartResponse") -> Iterable[bytes]:
        """Answer one request."""
        if environ["REQUEST_METHOD"] != "POST" or not environ.get("CONTENT_TYPE", "").startswith("multipart/form-data"):
            return self._app(environ, start_response)
        try:
            body = _read(environ)
            _check(environ, body)
        except _Refused as refused:
            return _refuse(refused, start_response)
        return self._app({**environ, "wsgi.input": io.BytesIO(body)}, start_response)


def _read(environ: "WSGIEnvironment") -> bytes:
    length = environ.get("CONTENT_LENGTH") or ""
    if not length.isdecimal():
        raise _Refused(411, "MissingContentLength", "You must provide the Content-Length HTTP header.")
    if int(length) > UPLOAD_BYTES:
        raise _Refused(400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
    body: bytes = environ["wsgi.input"].read(int(length))
    return body


def _check(environ: "WSGIEnvironment", body: bytes) -> None:
    try:
        request = Request({**environ, "wsgi.input": io.BytesIO(body)})
        request.max_form_parts = 100
        fields = {name.lower(): value for name, value in request.form.items()}
        file = request.files.get("file")
        size = len(file.read()) if file else len(fields.get("file", "").encode())
    except (HTTPException, ValueError) as exc:
        raise _Refused(400, "MalformedPOSTRequest", "The body is not well-formed form data.") from exc
    if file is None and "file" not in fields:
        raise _Refused(400, "InvalidArgument", "POST requires exactly one file upload per request.")
    conditions = _policy(fields)
    fields["bucket"] = request.path.strip("/")
    try:
        _check_conditions(conditions, fields, size)
    except (ValueError, TypeError, AttributeError) as exc:
        raise _Refused(400, "InvalidPolicyDocument", "Invalid Policy: Invalid condition.") from exc


def _policy(fields: dict[str, str]) -> list[Any]:
    """Return the conditions of the form's policy if it is signed by us and not over."""
    if "policy" not in fields:
        raise _denied("Access Denied")
    _check_signature(fields)
    try:
        policy = json.loads(base64.b64decode(fields["policy"]))
        over = datetime.fromisoformat(policy["expiration"])
        conditions = list(policy["conditions"])
        expired = over <= datetime.now(UTC)
    except (ValueError, KeyError, TypeError) as exc:
        raise _Refused(400, "InvalidPolicyDocument", "Invalid Policy: Invalid JSON.") from exc
    if expired:
        raise _denied("Invalid according to Policy: Policy expired.")
    return conditions


def _check_signature(fields: dict[str, str]) -> None:
    key_id, *scope = fields.get("x-amz-credential", "").split("/")
    if key_id != CREDENTIALS["AWS_ACCESS_KEY_ID"]:
        return  # signed by credentials of the user's own, whose secret is not known here
    key = f"AWS4{CREDENTIALS['AWS_SECRET_ACCESS_KEY']}".encode()
    for part in scope:
        key = hmac.digest(key, part.encode(), "sha256")
    expected = hmac.new(key, fields["policy"].encode(), hashlib.sha256).hexdigest()
    if not hmac.compare_digest(expected, fields.get("x-amz-signature", "")):
        message = "The request signature we calculated does not match the signature you provided."
        raise _Refused(403, "SignatureDoesNotMatch", message)


def _check_conditions(conditions: list[Any], fields: dict[str, str], size: int) -> None:
    named: set[str] = set()
    for condition in conditions:
        if isinstance(condition, dict):
            triples = [["eq", f"${name}", value] for name, value in condition.items()]
        else:
            triples = [condition]
        for triple in triples:
            named |= _check_triple(triple, fields, size)
    extra = {name for name in fields if not name.startswith("x-ignore-")} - named - _FREE_FIELDS - {"bucket"}
    if extra:
        raise _denied(f"Invalid according to Policy: Extra input fields: {', '.join(sorted(extra))}")


def _check_triple(condition: list[Any], fields: dict[str, str], size: int) -> set[str]:
    """Check `[operator, $field, value]` or a size range; return the fields that it is about."""
    operator, first, second = condition
    if operator == "content-length-range":
        if size > int(second):
            raise _Refused(400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
        if size < int(first):
            raise _Refused(400, "EntityTooSmall", "Your proposed upload is smaller than the minimum allowed size")
        return set()
    name = str(first).removeprefix("$").lower()
    value = fields.get(name, "")
    _require(value == second if operator == "eq" else value.startswith(str(second)), condition)
    return {name}


def _require(met: bool, condition: list[Any]) -> None:
    if not met:
        raise _denied(f"Invalid according to Policy: Policy Condition failed: {json.dumps(condition)}")


def _refuse(refused: _Refused, start_response: "StartResponse") -> Iterable[bytes]:
    body = (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f"<Error><Code>{refused.code}</Code><Message>{escape(str(refused))}</Message></Error>"
    ).encode()
    headers = [
        ("Content-Type", "application/xml"),
        ("Content-Length", str(len(body))),
        ("Access-Control-Allow-Origin", "*"),
    ]
    start_response(f"{refused.status} {HTTPStatus(refused.status).phrase}", headers)
    return [body]
