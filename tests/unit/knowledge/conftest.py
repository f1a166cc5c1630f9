"""The ingest role's handle, and people with documents."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any
from uuid import uuid4

import psycopg
import pytest

from local.bedrock import embeddings
from local.postgres import EmbeddedPostgres
from rolecall.db import Database
from rolecall.identity import Caller
from rolecall.knowledge import documents, store
from rolecall.knowledge.chunk import chunk
from rolecall.knowledge.extract.blocks import Block, Read, assemble
from rolecall.knowledge.models import Document
from tests.fakes import builders as build

EMBEDDER = "rolecall.offline-embed-v1"
LEASE = timedelta(minutes=1)


def embedded(text: str) -> list[float]:
    """The offline embedder's vector."""
    vector: list[float] = embeddings.invoke({"inputText": text})["embedding"]
    return vector


@pytest.fixture
def ingest_db(admin: psycopg.Connection, postgres: EmbeddedPostgres) -> Iterator[Database]:
    database = Database(postgres.url("ingest"), wait_seconds=5)
    yield database
    database.close()


@pytest.fixture
def person(admin: psycopg.Connection) -> Caller:
    return build.a_user(admin, company=build.a_company(admin))


@dataclass
class Library:
    """Publishes documents the way ingestion does, without its files."""

    app: Database
    ingest: Database
    events: int = 0

    def announce(self, owner: Caller, filename: str = "x.txt", **fields: Any) -> Document:
        with self.app.transaction(owner) as conn:
            return documents.create_upload(
                conn, owner, filename=filename, mime_type="text/plain", size_bytes=1, **fields
            ).document

    def claim(self, document: Document, *, message: str = "m", receive: int = 1, **fields: Any) -> Document | None:
        self.events += "sequencer" not in fields
        values = {
            "id": document.id,
            "storage_key": document.storage_key,
            "etag": "e",
            "sequencer": f"{self.events:064X}",
            "message_id": message,
            "receive": receive,
        }
        with self.ingest.transaction() as conn:
            return store.claim(conn, LEASE, **(values | fields))

    def publish(
        self, owner: Caller, *texts: str, filename: str | None = None, embedder: str = EMBEDDER, **fields: Any
    ) -> Document:
        """Publish a document whose paragraphs each become a chunk of their own."""
        document = self.announce(owner, filename or f"{uuid4()}.txt", **fields)
        return self.fill(document, texts, embedder=embedder)

    def fill(self, document: Document, texts: Sequence[str], *, embedder: str = EMBEDDER) -> Document:
        assert self.claim(document)
        read = assemble(Read([Block(text, page=at) for at, text in enumerate(texts, start=1)]), "text/plain")
        chunks = chunk(read, document_id=document.id, version="v", title=document.filename)
        facts = {"etag": "e", "content_hash": "0" * 64, "embedder": embedder, "size_bytes": 1}
        facts |= {"mime_type": "text/plain", "title": None, "page_count": len(texts)}
        with self.ingest.transaction() as conn:
            done = store.complete(conn, document.id, "m:1", chunks, [embedded(c.content) for c in chunks], **facts)
        assert done is not None
        return done


@pytest.fixture
def library(db: Database, ingest_db: Database) -> Library:
    return Library(db, ingest_db)


Publish = Callable[..., Document]
