"""One uploaded object becomes text, chunks and vectors, or ends in a failure that a person understands.

A message may come twice, late or after a newer one, and its reader may die at any point. The row decides: a claim is
one conditional statement, every later step holds only under that claim, and the chunks are replaced in the same
transaction that says COMPLETED.
"""

import hashlib
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from rolecall.aws import objects
from rolecall.db import Database
from rolecall.knowledge import store
from rolecall.knowledge.arrivals import Arrival
from rolecall.knowledge.chunk import chunk
from rolecall.knowledge.documents import MAX_UPLOAD_BYTES
from rolecall.knowledge.embed import OutOfTime, Vector, embed_all
from rolecall.knowledge.extract import Extracted, apart, extract
from rolecall.knowledge.faults import MESSAGES, Fault, UnreadableDocument
from rolecall.knowledge.models import Chunk, Document, Status
from rolecall.knowledge.probe import check_findable, probe_of
from rolecall.knowledge.progress import Push
from rolecall.llm.credentials import embedding_access
from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.settings import Settings
from rolecall.telemetry import log, log_failure

LEASE: Final = timedelta(minutes=15)
"""How long a claim keeps other messages about the same object away: longer than any reader lives. A dead reader's own
message, and a newer object, take over at once."""
TRIES: Final = 3
_KEPT: Final = " The version that was uploaded before is still in use."


@dataclass(frozen=True, slots=True)
class Ingest:
    """What ingestion works with; an entry point builds it once a process."""

    db: Database
    push: Push
    settings: Settings


@dataclass(frozen=True, slots=True)
class Delivery:
    """The queue's message: who claims, and which of the three tries it is."""

    message_id: str
    receive: int
    deadline: float
    """`time.monotonic()` by which the document must be done."""

    @property
    def claim(self) -> str:
        """What a claim under this delivery reads in the row."""
        return f"{self.message_id}:{self.receive}"


class _Superseded(Exception):
    """The claim is lost: the document was deleted, or a newer object came."""


def ingest(tools: Ingest, arrival: Arrival, delivery: Delivery) -> None:
    """Read one object.

    Raises:
        Exception: it may succeed another time; the message must come again.
    """
    with tools.db.transaction() as conn:
        document = store.claim(
            conn,
            LEASE,
            id=arrival.document_id,
            storage_key=arrival.key,
            etag=arrival.etag,
            sequencer=arrival.sequencer,
            message_id=delivery.message_id,
            receive=delivery.receive,
        )
    facts = {"document_id": str(arrival.document_id), "receive": delivery.receive}
    if document is None:
        log.info("document skipped", extra={**facts, "reason": "unknown, done, newer or being read"})
        return
    tools.push(document, 0.0)
    try:
        _read(tools, arrival, document, delivery)
    except _Superseded:
        log.info("document superseded", extra=facts)
    except UnreadableDocument as fault:
        log.info("document failed", extra={**facts, "reason": fault.reason})
        _fail(tools, document, delivery, fault)
    except Exception as error:
        log_failure("document not processed", error, **facts)
        if delivery.receive < TRIES:
            _release(tools, document, delivery)
            raise
        _fail(tools, document, delivery, UnreadableDocument(Fault.UNAVAILABLE))


def give_up(tools: Ingest, arrival: Arrival, message_id: str) -> None:
    """Fail a document whose message was given up after its last try killed its reader."""
    with tools.db.transaction() as conn:
        document = store.fail_lost(
            conn,
            id=arrival.document_id,
            storage_key=arrival.key,
            sequencer=arrival.sequencer,
            message_id=message_id,
            error_code=Fault.UNAVAILABLE,
            error_message="The document could not be processed: every try to do so broke off.",
        )
    if document is not None:
        log.error("document given up", extra={"document_id": str(arrival.document_id)})
        tools.push(document, 0.0)


def _read(tools: Ingest, arrival: Arrival, document: Document, delivery: Delivery) -> None:
    try:
        stored = objects.fetch(arrival.bucket, arrival.key, limit=MAX_UPLOAD_BYTES)
    except objects.ObjectTooLarge as error:
        limit = MAX_UPLOAD_BYTES // 1024 // 1024
        raise UnreadableDocument(Fault.TOO_LARGE, f"This file is larger than {limit} MB.") from error
    if stored is None:
        raise UnreadableDocument(Fault.MISSING)
    content_hash = hashlib.sha256(stored.body).hexdigest()
    embedder = tools.settings.embedding_model
    if document.completed_at and (document.content_hash, document.embedder) == (content_hash, embedder):
        _confirm(tools, document, delivery, stored.etag)
        return
    reader = apart.reader(delivery.deadline, lambda: _advance(tools, document, delivery, Status.PROCESSING))
    extracted = extract(stored.body, filename=document.filename, mime_type=document.mime_type, binary_reader=reader)
    _advance(tools, document, delivery, Status.CHUNKING)
    title = document.title or extracted.title or document.filename
    chunks = chunk(extracted, document_id=document.id, version=content_hash, title=title)
    _advance(tools, document, delivery, Status.EMBEDDING)
    vectors, probe = _vectors(tools, document, delivery, chunks)
    facts = {
        "etag": stored.etag,
        "content_hash": content_hash,
        "embedder": embedder,
        "size_bytes": len(stored.body),
        **_facts_of(extracted),
    }
    with tools.db.transaction() as conn:
        done = store.complete(conn, document.id, delivery.claim, chunks, vectors, **facts)
        if done is None:
            raise _Superseded
        check_findable(conn, done, chunks, probe)
    log.info("document completed", extra={"document_id": str(document.id), "chunks": len(chunks)})
    tools.push(done, 1.0)


def _facts_of(extracted: Extracted) -> dict[str, object]:
    return {
        "mime_type": extracted.mime_type,
        "title": extracted.title,
        "page_count": extracted.page_count,
    }


def _vectors(
    tools: Ingest, document: Document, delivery: Delivery, chunks: Sequence[Chunk]
) -> tuple[list[Vector], Vector]:
    """Embed what is not embedded yet, and the question that will prove that the document is found."""
    settings = tools.settings
    with tools.db.transaction(read_only=True) as conn:
        known = store.vectors_of(conn, document.id, settings.embedding_model)
    new = {item.content_hash: item.embedded_text for item in chunks if item.content_hash not in known}
    last = time.monotonic()

    def on_batch(done: int) -> None:
        nonlocal last
        if time.monotonic() - last > 1:
            last = time.monotonic()
            _advance(tools, document, delivery, Status.EMBEDDING, min(done / (len(new) + 1), 1.0))

    try:
        made = embed_all(
            [*new.values(), probe_of(chunks).question],
            model=settings.embedding_model,
            access=embedding_access(settings),
            deadline=delivery.deadline,
            on_batch=on_batch,
        )
    except OutOfTime as error:
        raise UnreadableDocument(Fault.TIMEOUT) from error
    except ModelError as error:
        if error.kind is not ModelErrorKind.VALIDATION:
            raise
        log.warning("embedding refused", extra={"document_id": str(document.id), "detail": error.detail[:200]})
        raise UnreadableDocument(
            Fault.UNAVAILABLE, "The document's text was refused by the embedding model."
        ) from error
    known |= dict(zip(new, made, strict=False))
    return [known[item.content_hash] for item in chunks], made[-1]


def _advance(tools: Ingest, document: Document, delivery: Delivery, status: Status, share: float = 0.0) -> None:
    if time.monotonic() > delivery.deadline:
        raise UnreadableDocument(Fault.TIMEOUT)
    with tools.db.transaction() as conn:
        moved = store.advance(conn, document.id, delivery.claim, status, LEASE)
    if moved is None:
        raise _Superseded
    tools.push(moved, share)


def _confirm(tools: Ingest, document: Document, delivery: Delivery, etag: str) -> None:
    with tools.db.transaction() as conn:
        done = store.confirm(conn, document.id, delivery.claim, etag)
    if done is None:
        raise _Superseded
    tools.push(done, 1.0)


def _release(tools: Ingest, document: Document, delivery: Delivery) -> None:
    with tools.db.transaction() as conn:
        waiting = store.release(conn, document.id, delivery.claim)
    if waiting is not None:
        tools.push(waiting, 0.0)


def _fail(tools: Ingest, document: Document, delivery: Delivery, fault: UnreadableDocument) -> None:
    message = fault.message or MESSAGES[fault.reason]
    if document.completed_at:
        message += _KEPT
    with tools.db.transaction() as conn:
        failed = store.fail(conn, document.id, delivery.claim, fault.reason, message)
    if failed is not None:
        tools.push(failed, 0.0)
