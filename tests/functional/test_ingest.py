"""Documents through the whole stack: an object in S3 becomes text that a search finds, or a reason why not."""

import time
from collections.abc import Callable, Iterator
from typing import Any
from uuid import uuid4

import pytest

from functions.manifest import UPLOADS_BUCKET
from local.bedrock.script import Delay, Fail
from local.client import Client
from local.demo import DEMO_RECRUITER
from local.stack import Stack
from rolecall.db import Database
from rolecall.identity import Caller
from rolecall.knowledge import documents, search, store
from rolecall.knowledge.documents import MAX_UPLOAD_BYTES, Upload
from rolecall.knowledge.faults import Fault
from rolecall.knowledge.models import Document, DocumentId, Passage, Status
from tests.fakes.waiting import eventually
from tests.functional.conftest import Rows
from tests.unit.knowledge.files import a_docx, a_pdf, a_zip, an_encrypted_ooxml, an_old_word_document, p

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

    def announce_key(self, name: str) -> Upload:
        """Announce under a key that `create_upload` would not choose."""
        document_id = DocumentId(uuid4())
        row = {"id": document_id, "agent_id": None, "filename": "x.txt", "title": None, "mime_type": "text/plain"}
        row |= {"size_bytes": 0, "tags": [], "storage_key": f"uploads/{document_id}/{name}"}
        with self.app.transaction(self.caller) as conn:
            return Upload(store.insert(conn, self.caller, row), str(row["storage_key"]), replaces=False)

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


@pytest.fixture
def chunks(rows: Rows) -> Callable[[DocumentId], int]:
    def count(document_id: DocumentId) -> int:
        found = rows("SELECT count(*) AS n FROM agent_document_chunk WHERE document_id = %(id)s", id=document_id)
        return int(found[0]["n"])

    return count


def embedded(stack: Stack) -> list[str]:
    """Every text that was sent to the embedder."""
    return [r.body["inputText"] for r in stack.bedrock.requests if r.operation == "invoke"]


def on_embedding(body: dict[str, Any]) -> bool:
    return "inputText" in body


def an_event(upload: Upload, etag: str, sequencer: str, *, kind: str = "ObjectCreated:Put") -> dict[str, Any]:
    found = {"key": upload.key.replace(" ", "+"), "size": 1, "eTag": etag, "sequencer": sequencer}
    return {"Records": [{"eventName": kind, "s3": {"bucket": {"name": UPLOADS_BUCKET}, "object": found}}]}


def pushed(client: Client, until: Callable[[dict[str, Any]], bool], seconds: float = 20) -> list[dict[str, Any]]:
    """Frames about documents that came to this socket, up to the one that is waited for."""
    frames: list[dict[str, Any]] = []
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        client.request("ping")
        while client._events:
            frame = client._events.popleft()
            if frame["type"] == "DocumentUpdated":
                frames.append(frame)
                if until(frame):
                    return frames
        time.sleep(0.05)
    raise AssertionError(f"only {[frame['status'] for frame in frames]} came")


# What becomes of a file ------------------------------------------------------------------------------------


def test_an_uploaded_text_is_completed_and_found(shelf: Shelf) -> None:
    document = shelf.add("house rules.txt", TEXT)
    assert (document.status, document.error_code) == (Status.COMPLETED, None)
    [best, *_] = shelf.find("When is herring served?")
    assert (best.document_id, best.filename) == (document.id, "house rules.txt")
    assert "herring on Thursdays" in best.content


def test_a_passage_of_a_pdf_names_its_page_and_one_of_a_docx_its_heading(shelf: Shelf) -> None:
    shelf.add("rules.pdf", a_pdf("Herring is served on Thursdays.", "Parking permits are sold at reception."))
    shelf.add(
        "leave.docx", a_docx(p("Pay", "H1") + p("Monthly.") + p("Leave", "H1") + p("Parental leave is 480 days."))
    )
    [permit, *_] = shelf.find("Where are parking permits sold?")
    [leave, *_] = shelf.find("How long is parental leave?")
    assert (permit.filename, permit.page_from, permit.page_to) == ("rules.pdf", 2, 2)
    assert (leave.filename, leave.section, leave.page_from) == ("leave.docx", "Leave", None)


@pytest.mark.parametrize(
    ("filename", "body", "fault"),
    [
        ("empty.txt", b"", Fault.EMPTY),
        ("blank.txt", b" \n\n ", Fault.EMPTY),
        ("locked.pdf", a_pdf("Secret", password="s"), Fault.ENCRYPTED),
        ("locked.docx", an_encrypted_ooxml(), Fault.ENCRYPTED),
        ("cut.pdf", a_pdf("Some text")[:60], Fault.CORRUPT),
        ("cut.docx", a_docx(p("Some text " * 99))[:300], Fault.CORRUPT),
        ("picture.pdf", b"\x89PNG\r\n\x1a\n" + bytes(99), Fault.UNSUPPORTED),
        ("old.doc", an_old_word_document(), Fault.UNSUPPORTED),
        ("scan.pdf", a_pdf("", image=True), Fault.NO_TEXT),
        ("bomb.docx", a_zip({"word/document.xml": b"<a>" + bytes(120 << 20)}), Fault.TOO_LARGE),
        ("large.txt", b"x" * (MAX_UPLOAD_BYTES + 1), Fault.TOO_LARGE),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_what_cannot_be_read_fails_with_a_reason_and_is_tried_once(
    shelf: Shelf, rows: Rows, filename: str, body: bytes, fault: Fault
) -> None:
    document = shelf.add(filename, body)
    assert (document.status, document.error_code, document.chunk_count) == (Status.FAILED, fault, 0)
    assert document.error_message
    assert document.recovery_hint
    assert rows("SELECT attempts FROM agent_document WHERE id = %(id)s", id=document.id) == [{"attempts": 1}]


def test_a_renamed_file_is_read_as_what_it_is(shelf: Shelf) -> None:
    document = shelf.add("rules.txt", a_pdf("Herring is served on Thursdays."))
    assert (document.status, document.mime_type) == (Status.COMPLETED, "application/pdf")


def test_nul_in_a_text_and_in_its_name_does_no_harm(shelf: Shelf) -> None:
    document = shelf.add("a\x00b.txt", b"her\x00ring on Thurs\x00days")
    assert (document.status, document.filename) == (Status.COMPLETED, "ab.txt")
    assert shelf.find("herring on Thursdays")[0].content == "herring on Thursdays"


@pytest.mark.parametrize(
    "name",
    ["this im + age 100% A\u030asa.txt", "a%20b.txt", "c++.txt", "😀 cv (1).txt", "x/../y.txt", "a+b c&d=e;f,g.txt"],
)
def test_a_key_is_taken_as_it_is(shelf: Shelf, name: str) -> None:
    upload = shelf.announce_key(name)
    assert shelf.wait(upload.document.id, shelf.put(upload, TEXT)).status is Status.COMPLETED


def test_objects_that_are_no_documents_are_left_alone(shelf: Shelf, stack: Stack, rows: Rows) -> None:
    for key in ("uploads/folder/", f"uploads/{uuid4()}/x.txt", "elsewhere/x.txt"):
        shelf.s3.put_object(Bucket=UPLOADS_BUCKET, Key=key, Body=b"")
    stack.aws.send_to_queue("rolecall-uploads", {"Event": "s3:TestEvent"})
    assert shelf.add("x.txt", TEXT).status is Status.COMPLETED
    eventually(lambda: _waiting(stack) == 0)


# Progress --------------------------------------------------------------------------------------------------


def test_the_uploader_is_told_each_step(shelf: Shelf, recruiter: Client) -> None:
    recruiter.request("ping")
    document = shelf.add("rules.txt", TEXT)
    frames = pushed(recruiter, lambda frame: frame["status"] == "COMPLETED")
    assert [frame["status"] for frame in frames] == ["PROCESSING", "CHUNKING", "EMBEDDING", "COMPLETED"]
    progress = [frame["progress"] for frame in frames]
    assert progress == sorted(progress)
    assert frames[-1] == {
        "type": "DocumentUpdated",
        "documentId": str(document.id),
        "filename": "rules.txt",
        "status": "COMPLETED",
        "progress": 1.0,
        "etag": document.etag,
    }


def test_a_failure_is_pushed_with_its_reason_to_the_uploader_alone(
    shelf: Shelf, recruiter: Client, job_seeker: Client
) -> None:
    recruiter.request("ping")
    shelf.add("locked.pdf", a_pdf("Secret", password="s"))
    last = pushed(recruiter, lambda frame: frame["status"] == "FAILED")[-1]
    assert (last["errorCode"], last["progress"]) == ("ENCRYPTED", 1.0)
    assert "password" in last["message"]
    assert last["recoveryHint"]
    with pytest.raises(AssertionError, match=r"only \[\] came"):
        pushed(job_seeker, lambda _: True, seconds=0.3)


# Again, twice, late ----------------------------------------------------------------------------------------


def test_the_same_content_again_is_confirmed_without_being_embedded(
    shelf: Shelf, stack: Stack, recruiter: Client
) -> None:
    first = shelf.add("rules.txt", TEXT)
    before = len(embedded(stack))
    recruiter.request("ping")
    upload = shelf.announce("rules.txt")
    shelf.put(upload, TEXT)
    assert pushed(recruiter, lambda frame: frame["status"] == "COMPLETED")[-1]["documentId"] == str(first.id)
    assert (upload.replaces, upload.document.id) == (True, first.id)
    assert len(embedded(stack)) == before


def test_a_new_version_replaces_the_old_one_and_embeds_only_what_changed(shelf: Shelf, stack: Stack) -> None:
    shelf.add("rules.pdf", a_pdf("Herring is served on Thursdays.", "Parking permits are sold at reception."))
    stack.bedrock.requests.clear()
    shelf.add("rules.pdf", a_pdf("Herring is served on Thursdays.", "Parking is free since May."))
    assert not [text for text in embedded(stack) if text.startswith("rules\n\nHerring")]
    assert [text for text in embedded(stack) if text.startswith("rules\n\nParking is free")]
    assert "free since May" in shelf.find("parking")[0].content
    assert not [found for found in shelf.find("permits sold at reception") if "permits" in found.content]


def test_a_new_version_that_cannot_be_read_leaves_the_old_one_in_use(shelf: Shelf) -> None:
    shelf.add("rules.txt", TEXT)
    failed = shelf.add("rules.txt", b"")
    assert (failed.status, failed.error_code) == (Status.FAILED, Fault.EMPTY)
    assert "still in use" in str(failed.error_message)
    assert shelf.find("When is herring served?")


def test_events_twice_and_out_of_order_change_nothing(shelf: Shelf, stack: Stack, rows: Rows) -> None:
    upload = shelf.announce("rules.txt")
    shelf.wait(upload.document.id, shelf.put(upload, b"The old rules speak of pike."))
    done = shelf.wait(upload.document.id, shelf.put(upload, TEXT))
    [row] = rows("SELECT sequencer FROM agent_document WHERE id = %(id)s", id=upload.document.id)
    for sequencer in (row["sequencer"], "0001", row["sequencer"]):
        stack.aws.send_to_queue("rolecall-uploads", an_event(upload, "other", sequencer))
    stack.aws.send_to_queue("rolecall-uploads", an_event(upload, "", "F" * 20, kind="ObjectRemoved:Delete"))
    eventually(lambda: _waiting(stack) == 0)
    after = shelf.get(upload.document.id)
    assert after is not None
    assert (after.status, after.etag, after.completed_at) == (done.status, done.etag, done.completed_at)


def test_many_duplicates_at_once_make_one_set_of_chunks(
    shelf: Shelf, stack: Stack, chunks: Callable[[DocumentId], int]
) -> None:
    upload = shelf.announce("rules.txt")
    etag = shelf.put(upload, TEXT)
    for _ in range(5):
        stack.aws.send_to_queue("rolecall-uploads", an_event(upload, etag, "F" * 18))
    document = shelf.wait(upload.document.id, etag)
    eventually(lambda: _waiting(stack) == 0)
    assert (document.status, chunks(document.id)) == (Status.COMPLETED, document.chunk_count)


def test_a_document_deleted_while_it_is_read_leaves_nothing(
    shelf: Shelf, stack: Stack, chunks: Callable[[DocumentId], int]
) -> None:
    stack.bedrock.script.push(Delay(1.5), when=on_embedding)
    upload = shelf.announce("rules.txt")
    shelf.put(upload, TEXT)
    eventually(lambda: (shelf.get(upload.document.id) or upload.document).status is Status.EMBEDDING)
    with shelf.app.transaction(shelf.caller) as conn:
        assert documents.delete(conn, shelf.caller, upload.document.id)
    eventually(lambda: _waiting(stack) == 0)
    assert shelf.get(upload.document.id) is None
    assert chunks(upload.document.id) == 0


def test_a_file_deleted_before_it_is_read_fails_as_missing(shelf: Shelf, stack: Stack) -> None:
    upload = shelf.announce("rules.txt")
    stack.aws.send_to_queue("rolecall-uploads", an_event(upload, "gone", "0A"))
    assert shelf.wait(upload.document.id, "gone").error_code == Fault.MISSING


# When things break -----------------------------------------------------------------------------------------


def test_an_embedder_that_is_down_for_a_while_is_waited_for(shelf: Shelf, stack: Stack, rows: Rows) -> None:
    stack.bedrock.script.push(Fail(times=9), when=on_embedding)
    document = shelf.add("rules.txt", TEXT)
    assert document.status is Status.COMPLETED
    assert rows("SELECT attempts FROM agent_document WHERE id = %(id)s", id=document.id) == [{"attempts": 1}]


def test_an_embedder_that_stays_away_fails_the_document_after_three_tries(
    shelf: Shelf, stack: Stack, rows: Rows
) -> None:
    stack.bedrock.script.push(Fail("AccessDeniedException", 403, "No.", times=99), when=on_embedding)
    document = shelf.add("rules.txt", TEXT)
    assert (document.status, document.error_code) == (Status.FAILED, Fault.UNAVAILABLE)
    assert rows("SELECT attempts FROM agent_document WHERE id = %(id)s", id=document.id) == [{"attempts": 3}]
    stack.bedrock.script.clear()
    assert shelf.add("rules.txt", TEXT + b"Again.").status is Status.COMPLETED


def test_a_reader_that_is_killed_is_followed_by_another(shelf: Shelf, stack: Stack) -> None:
    stack.bedrock.script.push(Delay(30), when=on_embedding)
    upload = shelf.announce("rules.txt")
    etag = shelf.put(upload, TEXT)
    eventually(lambda: len(embedded(stack)) == 1, timeout=20)
    assert stack.kill_worker("ingest")
    assert shelf.wait(upload.document.id, etag).status is Status.COMPLETED


def test_a_document_that_kills_every_reader_is_given_up(shelf: Shelf, stack: Stack, rows: Rows) -> None:
    for _ in range(3):
        stack.bedrock.script.push(Delay(30), when=on_embedding)
    upload = shelf.announce("rules.txt")
    etag = shelf.put(upload, TEXT)
    for _ in range(3):
        eventually(lambda: len(embedded(stack)) == 1, timeout=20)
        stack.bedrock.requests.clear()
        assert stack.kill_worker("ingest")
    document = shelf.wait(upload.document.id, etag)
    assert (document.status, document.error_code) == (Status.FAILED, Fault.UNAVAILABLE)
    assert rows("SELECT attempts FROM agent_document WHERE id = %(id)s", id=document.id) == [{"attempts": 3}]


def _waiting(stack: Stack) -> int:
    """Messages about uploads that are queued or being read."""
    names = ("ApproximateNumberOfMessages", "ApproximateNumberOfMessagesNotVisible")
    found = stack.client("sqs").get_queue_attributes(
        QueueUrl=stack.aws.queue_url("rolecall-uploads"), AttributeNames=list(names)
    )
    return sum(int(found["Attributes"][name]) for name in names)
