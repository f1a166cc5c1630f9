"""Documents through the whole stack: an object in S3 becomes text that a search finds, or a reason why not."""

import time
from collections.abc import Iterator
from typing import Any

import pytest

from functions.manifest import UPLOADS_BUCKET
from local.demo import DEMO_RECRUITER
from local.stack import Stack
from rolecall.db import Database
from rolecall.identity import Caller
from rolecall.knowledge import documents, search
from rolecall.knowledge.documents import Upload
from rolecall.knowledge.models import Document, DocumentId, Passage, Status

ENDED = {Status.COMPLETED, Status.FAILED}
EMBEDDER = "rolecall.offline-embed-v1"
TEXT = b"The cafeteria serves herring on Thursdays.\n\nParking permits are sold at the reception desk.\n"


@pytest.fixture
def app(stack: Stack) -> Iterator[Database]:
    database = Database(stack.database_url("app"))
    yield database
    database.close()


class Shelf:
    """A person's documents: puts files there as a client would, and waits for what becomes of them."""

    def __init__(self, stack: Stack, app: Database, caller: Caller = DEMO_RECRUITER) -> None:
        self.stack, self.app, self.caller = stack, app, caller
        self.s3 = stack.client("s3")

    def announce(self, filename: str, mime_type: str = "application/octet-stream", **fields: Any) -> Upload:
        with self.app.transaction(self.caller) as conn:
            return documents.create_upload(
                conn, self.caller, filename=filename, mime_type=mime_type, size_bytes=0, **fields
            )

    def put(self, upload: Upload, body: bytes) -> str:
        """Upload the bytes and return the etag of the object."""
        etag: str = self.s3.put_object(Bucket=UPLOADS_BUCKET, Key=upload.key, Body=body)["ETag"]
        return etag.strip('"')

    def get(self, document_id: DocumentId) -> Document | None:
        with self.app.transaction(self.caller) as conn:
            return documents.get(conn, self.caller, document_id)

    def wait(self, document_id: DocumentId, etag: str, seconds: float = 30) -> Document:
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            document = self.get(document_id)
            assert document is not None
            if document.etag == etag and document.status in ENDED:
                return document
            time.sleep(0.05)
        raise AssertionError(f"the document is still {document.status}")

    def add(self, filename: str, body: bytes, **fields: Any) -> Document:
        upload = self.announce(filename, **fields)
        return self.wait(upload.document.id, self.put(upload, body))

    def find(self, question: str, **fields: Any) -> list[Passage]:
        vector = embed_locally(self.stack, question)
        with self.app.transaction(self.caller) as conn:
            return search.search(conn, self.caller, question, vector, embedder=EMBEDDER, **fields)


def embed_locally(stack: Stack, text: str) -> list[float]:
    from local.bedrock import embeddings

    vector: list[float] = embeddings.invoke({"inputText": text})["embedding"]
    return vector


@pytest.fixture
def shelf(stack: Stack, app: Database) -> Iterator[Shelf]:
    shelf = Shelf(stack, app)
    yield shelf
    with app.transaction(shelf.caller) as conn:
        for document in documents.documents(conn, shelf.caller, limit=200):
            documents.delete(conn, shelf.caller, document.id)


def test_an_uploaded_text_is_completed_and_found(shelf: Shelf) -> None:
    document = shelf.add("house rules.txt", TEXT)
    assert (document.status, document.error_code) == (Status.COMPLETED, None)
    [best, *_] = shelf.find("When is herring served?")
    assert best.document_id == document.id
    assert "herring on Thursdays" in best.content
    assert best.filename == "house rules.txt"
