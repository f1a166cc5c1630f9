"""What a queue's message says has arrived: S3's own events, and the same ones by way of EventBridge."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import unquote_plus
from uuid import UUID

from rolecall.knowledge.documents import KEY_PREFIX
from rolecall.knowledge.models import DocumentId
from rolecall.telemetry import log

_SEQUENCER_DIGITS: Final = 64


@dataclass(frozen=True, slots=True)
class Arrival:
    """A new version of a document's object."""

    document_id: DocumentId
    bucket: str
    key: str
    etag: str
    sequencer: str
    """Upper-case hexadecimal, filled up to one length: later events on a key compare greater."""
    size: int


def arrivals(body: str) -> list[Arrival]:
    """Read a message; what is not about a document's new object is left out, with a line in the log."""
    try:
        message = json.loads(body)
    except ValueError:
        message = None
    if not isinstance(message, dict):
        log.warning("queue message is no event")
        return []
    return [arrival for facts in _facts(message) if (arrival := _arrival(*facts))]


def _facts(message: dict[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield each (bucket, object), the key as it really is: encoded once by S3, not at all by EventBridge."""
    if message.get("detail-type") == "Object Created":
        detail = message["detail"]
        yield detail["bucket"]["name"], detail["object"]
        return
    if message.get("Event") == "s3:TestEvent" or "Records" not in message:
        log.info("event skipped", extra={"event": str(message.get("Event") or message.get("detail-type"))[:100]})
        return
    for record in message["Records"]:
        name = str(record.get("eventName", ""))
        if not name.removeprefix("s3:").startswith("ObjectCreated"):
            log.info("event skipped", extra={"event": name[:100]})
            continue
        found = record["s3"]["object"]
        yield record["s3"]["bucket"]["name"], {**found, "key": unquote_plus(found["key"])}


def _arrival(bucket: str, found: dict[str, Any]) -> Arrival | None:
    key = str(found["key"])
    document_id = _document_of(key)
    if document_id is None:
        log.info("object is no document", extra={"key_length": len(key), "folder": key.endswith("/")})
        return None
    return Arrival(
        document_id=document_id,
        bucket=bucket,
        key=key,
        etag=str(found.get("eTag") or found.get("etag") or ""),
        sequencer=str(found.get("sequencer") or "").upper().ljust(_SEQUENCER_DIGITS, "0"),
        size=int(found.get("size") or 0),
    )


def _document_of(key: str) -> DocumentId | None:
    if not key.startswith(KEY_PREFIX) or key.endswith("/"):
        return None
    folder, slash, _ = key.removeprefix(KEY_PREFIX).partition("/")
    try:
        return DocumentId(UUID(folder)) if slash else None
    except ValueError:
        return None
