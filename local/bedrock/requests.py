"""What comes in: paths, bodies, and the refusals that Bedrock would make."""

import base64
import binascii
import re
from dataclasses import dataclass
from typing import Any
from urllib.parse import unquote

from rolecall.llm import contract

OFFLINE_MODEL = "rolecall.offline-v1"
OFFLINE_SMALL_MODEL = "rolecall.offline-small-v1"
"""Answers side calls (titles, summaries) without an account of what was matched."""
EMBEDDING_MODELS = ("rolecall.offline-embed-v1", "amazon.titan-embed-text-v2:0")

_PATH = re.compile(r"/model/([^/]+)/(converse|converse-stream|invoke)")
_ANSWERED = re.compile(r"(^|[./])anthropic\.")


@dataclass(frozen=True)
class Refusal(Exception):
    """An error answer, with the name and the status that Bedrock gives it."""

    code: str
    status: int
    message: str


@dataclass(frozen=True)
class RecordedRequest:
    """One request as it came in."""

    operation: str
    model_id: str
    body: dict[str, Any]


def invalid(message: str) -> Refusal:
    """Build a ValidationException."""
    return Refusal("ValidationException", 400, message)


def route(path: str) -> tuple[str, str]:
    """Return (operation, model id) of a request's path."""
    match = _PATH.fullmatch(path.partition("?")[0])
    if match is None:
        raise Refusal("UnknownOperationException", 404, "The operation is not known.")
    return match[2], unquote(match[1])


def check_model(operation: str, model_id: str) -> None:
    """Refuse a model that this endpoint does not answer for."""
    answered = model_id in (OFFLINE_MODEL, OFFLINE_SMALL_MODEL) or _ANSWERED.search(model_id)
    known = model_id in EMBEDDING_MODELS if operation == "invoke" else answered
    if not known:
        raise invalid("The provided model identifier is invalid.")


def check_converse(body: dict[str, Any]) -> None:
    """Decode the body's files in place, and refuse it if Bedrock would."""
    try:
        _decode_files(body.get("messages", []))
        violations = contract.check(body)
    except (AttributeError, TypeError, KeyError, binascii.Error) as exc:
        raise invalid("The format of the request body is invalid.") from exc
    if violations:
        raise invalid(violations[0].message)


def _decode_files(blocks: list[Any]) -> None:
    for block in blocks:
        for kind in ("image", "document"):
            source = block.get(kind, {}).get("source", {})
            if "bytes" in source:
                source["bytes"] = base64.b64decode(source["bytes"], validate=True)
        reasoning = block.get("reasoningContent", {})
        if "redactedContent" in reasoning:
            reasoning["redactedContent"] = base64.b64decode(reasoning["redactedContent"], validate=True)
        _decode_files(block.get("content") or block.get("toolResult", {}).get("content") or [])
