"""Uploads by presigned POST: S3's checks of the policy, of which moto makes none."""

import base64
import hashlib
import hmac
import io
import json
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from http import HTTPStatus
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote_to_bytes
from xml.sax.saxutils import escape

from werkzeug.exceptions import HTTPException
from werkzeug.wrappers import Request

from local.environment import CREDENTIALS

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

UPLOAD_BYTES = 512 * 1024 * 1024
FORM_UPLOAD = "rolecall.form_upload"
"""Set in the WSGI environment of an upload that came as a form."""
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
            form = _form(environ, _read(environ))
            _check(form)
        except _Refused as refused:
            return _refuse(refused, start_response)
        return self._app(_put_request(environ, form), _as_post(form, start_response))


def _read(environ: "WSGIEnvironment") -> bytes:
    length = environ.get("CONTENT_LENGTH") or ""
    if not length.isdecimal():
        raise _Refused(411, "MissingContentLength", "You must provide the Content-Length HTTP header.")
    if int(length) > UPLOAD_BYTES:
        raise _Refused(400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size")
    body: bytes = environ["wsgi.input"].read(int(length))
    return body


@dataclass(frozen=True)
class _Form:
    bucket: str
    fields: dict[str, str]
    """By lower-case name."""
    content: bytes


def _form(environ: "WSGIEnvironment", body: bytes) -> _Form:
    try:
        with Request({**environ, "wsgi.input": io.BytesIO(body)}) as request:
            request.max_form_parts = 100
            fields = {name.lower(): value for name, value in request.form.items()}
            file = request.files.get("file")
            content = file.read() if file else fields.pop("file").encode()
    except KeyError as exc:
        message = "POST requires exactly one file upload per request."
        raise _Refused(400, "InvalidArgument", message) from exc
    except (HTTPException, ValueError) as exc:
        raise _Refused(400, "MalformedPOSTRequest", "The body is not well-formed form data.") from exc
    return _Form(environ["PATH_INFO"].strip("/"), fields, content)


def _check(form: _Form) -> None:
    conditions = _policy(form.fields)
    if not form.fields.get("key"):
        raise _Refused(400, "InvalidArgument", "Bucket POST must contain a field named 'key'.")
    try:
        _check_conditions(conditions, {**form.fields, "bucket": form.bucket}, len(form.content))
    except (ValueError, TypeError, AttributeError) as exc:
        raise _Refused(400, "InvalidPolicyDocument", "Invalid Policy: Invalid condition.") from exc


def _put_request(environ: "WSGIEnvironment", form: _Form) -> "WSGIEnvironment":
    """Turn a form into the PUT that stores the same object: moto's own reading of forms loses the type."""
    path = f"/{form.bucket}/{quote(form.fields['key'])}"
    headers = {
        f"HTTP_{name.upper().replace('-', '_')}": value
        for name, value in form.fields.items()
        if name.startswith("x-amz-meta-")
    }
    return {
        **environ,
        **headers,
        "REQUEST_METHOD": "PUT",
        "PATH_INFO": unquote_to_bytes(path).decode("latin-1"),
        "RAW_URI": path,
        "REQUEST_URI": path,
        "QUERY_STRING": "",
        "CONTENT_TYPE": form.fields.get("content-type", "binary/octet-stream"),
        "CONTENT_LENGTH": str(len(form.content)),
        "wsgi.input": io.BytesIO(form.content),
        # The form was checked; without this moto takes it for nobody's, who may not replace an object.
        "HTTP_AUTHORIZATION": f"AWS4-HMAC-SHA256 Credential={form.fields.get('x-amz-credential', '')}",
        FORM_UPLOAD: True,
    }


def _as_post(form: _Form, start_response: "StartResponse") -> "StartResponse":
    """Answer as a form upload does: 204, or the status that the form asks for."""
    wanted = form.fields.get("success_action_status", "204")
    status = HTTPStatus(int(wanted) if wanted in {"200", "201"} else 204)

    def start(given: str, headers: list[tuple[str, str]], *rest: Any) -> Any:
        ours = f"{status.value} {status.phrase}" if given.startswith("200") else given
        return start_response(ours, headers, *rest)

    return start


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
