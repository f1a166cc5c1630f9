from typing import Any
from uuid import uuid4

import psycopg
import pytest

from rolecall.errors import InvalidRequest
from rolecall.identity import Caller
from rolecall.knowledge import documents, store
from rolecall.knowledge.documents import MAX_UPLOAD_BYTES, storage_key
from rolecall.knowledge.models import Document, DocumentId, Status
from tests.fakes import builders as build
from tests.unit.knowledge.conftest import LEASE, Library


def chunk_count(admin: psycopg.Connection, document: Document) -> int:
    row = admin.execute("SELECT count(*) FROM agent_document_chunk WHERE document_id = %s", [document.id]).fetchone()
    assert row
    return int(row[0])


# Uploads ---------------------------------------------------------------------------------------------------


def test_an_upload_gets_a_row_and_a_key_of_its_own(library: Library, person: Caller) -> None:
    document = library.announce(person, "A\u030asa's CV + 100%.pdf", tags=["cv", "cv", " "])
    assert (document.status, document.filename, document.tags) == (Status.PENDING, "Åsa's CV + 100%.pdf", ["cv"])
    assert document.storage_key == f"uploads/{document.id}/Åsa's CV + 100%.pdf"


def test_the_same_name_again_replaces_ones_own_document(library: Library, person: Caller) -> None:
    first = library.publish(person, "Old text.", filename="A\u030asa.txt")
    with library.app.transaction(person) as conn:
        again = documents.create_upload(
            conn, person, filename="Åsa.txt", mime_type="text/plain", size_bytes=2, tags=["t"]
        )
    assert (again.replaces, again.key, again.document.tags) == (True, first.storage_key, ["t"])
    assert again.document.status is Status.COMPLETED


def test_a_colleagues_document_of_that_name_is_left_alone(
    library: Library, person: Caller, admin: psycopg.Connection
) -> None:
    assert person.company_id
    first = library.announce(person, "x.txt")
    colleague = build.a_user(admin, company=person.company_id, role="MEMBER")
    assert library.announce(colleague, "x.txt").id != first.id
    assert library.announce(person, "x.txt", agent_id=build.an_agent(admin, person)).id != first.id
    assert library.announce(person.as_job_seeker(), "x.txt").id != first.id


def test_nul_and_folders_in_a_name_do_no_harm(library: Library, person: Caller) -> None:
    assert library.announce(person, "..\\..\\secret/c\x00v.pdf", title="T\x00").filename == "cv.pdf"


@pytest.mark.parametrize(
    "fields", [{"size_bytes": MAX_UPLOAD_BYTES + 1}, {"size_bytes": 1, "tags": list("abcdefghijklmnopqrstu")}]
)
def test_what_cannot_be_taken_is_refused_before_anything_is_stored(
    library: Library, person: Caller, fields: dict[str, Any]
) -> None:
    with pytest.raises(InvalidRequest), library.app.transaction(person) as conn:
        documents.create_upload(conn, person, filename="x", mime_type="text/plain", **fields)


def test_a_key_never_exceeds_what_s3_takes() -> None:
    assert len(storage_key(DocumentId(uuid4()), "漢" * 400).encode()) <= 1024


def test_documents_are_listed_newest_first_a_page_at_a_time(library: Library, person: Caller) -> None:
    made = [library.announce(person, f"{at}.txt").id for at in range(5)]
    with library.app.transaction(person) as conn:
        page = documents.documents(conn, person, limit=3)
        rest = documents.documents(conn, person, limit=3, before=page[-1])
    assert [document.id for document in [*page, *rest]] == made[::-1]


def test_nobody_else_sees_or_deletes_a_document(library: Library, person: Caller, admin: psycopg.Connection) -> None:
    document = library.publish(person, "Private.")
    stranger = build.a_user(admin, company=build.a_company(admin))
    with library.app.transaction(stranger) as conn:
        assert documents.get(conn, stranger, document.id) is None
        assert documents.delete(conn, stranger, document.id) is None
    with library.app.transaction(person) as conn:
        assert documents.delete(conn, person, document.id) is not None
    assert chunk_count(admin, document) == 0


# Claims ----------------------------------------------------------------------------------------------------


def test_a_duplicate_does_not_disturb_who_is_reading(library: Library, person: Caller) -> None:
    document = library.announce(person)
    assert library.claim(document, message="a", sequencer="B1")
    assert library.claim(document, message="b", sequencer="B1") is None


def test_a_dead_readers_own_message_takes_over(library: Library, person: Caller) -> None:
    document = library.announce(person)
    library.claim(document, message="a", sequencer="B1")
    assert library.claim(document, message="a", receive=2, sequencer="B1")
    with library.ingest.transaction() as conn:
        assert store.advance(conn, document.id, "a:1", Status.CHUNKING, LEASE) is None
        assert store.advance(conn, document.id, "a:2", Status.CHUNKING, LEASE) is not None


def test_a_newer_object_takes_over_and_an_older_one_never_does(library: Library, person: Caller) -> None:
    document = library.announce(person)
    assert library.claim(document, message="a", sequencer="B1")
    assert library.claim(document, message="b", sequencer="B2")
    assert library.claim(document, message="c", sequencer="B1") is None
    with library.ingest.transaction() as conn:
        assert store.fail(conn, document.id, "a:1", "EMPTY", "late") is None


@pytest.mark.parametrize("ending", ["complete", "fail"])
def test_what_has_ended_is_not_read_again_for_the_same_event(library: Library, person: Caller, ending: str) -> None:
    document = library.announce(person)
    library.claim(document, sequencer="B1")
    with library.ingest.transaction() as conn:
        if ending == "fail":
            assert store.fail(conn, document.id, "m:1", "EMPTY", "There is nothing in this file.")
        else:
            assert store.confirm(conn, document.id, "m:1", "e")
    assert library.claim(document, sequencer="B1") is None
    assert library.claim(document, sequencer="B2")


def test_a_released_document_may_be_tried_by_anyone(library: Library, person: Caller) -> None:
    document = library.announce(person)
    library.claim(document, message="a", sequencer="B1")
    with library.ingest.transaction() as conn:
        assert store.release(conn, document.id, "a:1")
    assert library.claim(document, message="b", sequencer="B1")


def test_another_key_claims_nothing(library: Library, person: Caller) -> None:
    document = library.announce(person)
    assert library.claim(document, storage_key=document.storage_key + "2") is None


def test_a_lost_message_fails_only_what_nobody_else_reads(library: Library, person: Caller) -> None:
    document = library.announce(person)
    library.claim(document, message="a", receive=3, sequencer="B1")

    def give_up(message: str, sequencer: str) -> Document | None:
        values = {"id": document.id, "storage_key": document.storage_key, "error_code": "UNAVAILABLE"}
        with library.ingest.transaction() as conn:
            return store.fail_lost(conn, message_id=message, sequencer=sequencer, error_message="lost", **values)

    assert give_up("b", "B1") is None
    assert give_up("a", "B0") is None
    failed = give_up("a", "B1")
    assert failed
    assert (failed.status, failed.recovery_hint) == (Status.FAILED, "Upload it again in a few minutes.")
    assert give_up("a", "B1") is None


# Publishing ------------------------------------------------------------------------------------------------


def test_old_chunks_stay_until_the_new_ones_are_published(
    library: Library, person: Caller, admin: psycopg.Connection
) -> None:
    document = library.publish(person, "Old one.", "Old two.", filename="x.txt")
    again = library.announce(person, "x.txt")
    assert library.claim(again)
    assert chunk_count(admin, document) == 2
    new = library.fill(again, ["New."])
    assert (new.id, chunk_count(admin, document), new.chunk_count) == (document.id, 1, 1)


def test_a_document_deleted_while_it_is_read_leaves_nothing(
    library: Library, person: Caller, admin: psycopg.Connection
) -> None:
    document = library.announce(person)
    library.claim(document)
    with library.app.transaction(person) as conn:
        documents.delete(conn, person, document.id)
    with library.ingest.transaction() as conn:
        assert store.complete(conn, document.id, "m:1", [], [], **_facts()) is None
    assert chunk_count(admin, document) == 0


def test_only_vectors_of_the_same_embedder_are_used_again(library: Library, person: Caller) -> None:
    document = library.publish(person, "One.", "Two.")
    with library.ingest.transaction() as conn:
        assert len(store.vectors_of(conn, document.id, "rolecall.offline-embed-v1")) == 2
        assert store.vectors_of(conn, document.id, "amazon.titan-embed-text-v2:0") == {}


def _facts() -> dict[str, Any]:
    facts = {"etag": "e", "content_hash": "0" * 64, "embedder": "x", "size_bytes": 1, "mime_type": "text/plain"}
    return facts | {"title": None, "page_count": None}
