import psycopg
import pytest

from rolecall.identity import Caller
from rolecall.knowledge.chunk import chunk
from rolecall.knowledge.extract.blocks import Block, Read, assemble
from rolecall.knowledge.faults import Fault, UnreadableDocument
from rolecall.knowledge.models import Chunk, Document
from rolecall.knowledge.probe import check_findable, probe_of
from tests.unit.knowledge.conftest import Library, embedded


def chunks_of(document: Document, *texts: str) -> list[Chunk]:
    read = assemble(Read([Block(text, page=at) for at, text in enumerate(texts, start=1)]), "text/plain")
    return chunk(read, document_id=document.id, version="v", title=document.filename)


@pytest.mark.parametrize(
    "texts",
    [
        ("Herring is served on Thursdays.",),
        ("x", "The longest of them all has many more words than the other one has."),
        ("漢字かな交じり文" * 60,),
        ("!!! ??? ---",),
        ("0.12 0.55 9.31 " * 80,),
        ("Same words again. " * 30, "Same words again. " * 30, "Same words again. " * 30),
    ],
)
def test_a_document_is_found_by_a_phrase_of_its_own(library: Library, person: Caller, texts: tuple[str, ...]) -> None:
    document = library.publish(person, *texts)
    chunks = chunks_of(document, *texts)
    with library.ingest.transaction() as conn:
        check_findable(conn, document, chunks, embedded(probe_of(chunks).question))


def test_a_document_that_is_not_found_may_not_be_published(library: Library, person: Caller) -> None:
    document = library.publish(person, "!!! ???")
    chunks = chunks_of(document, "!!! ???")
    elsewhere = [0.0] * 1000 + [1.0] + [0.0] * 23
    with pytest.raises(UnreadableDocument) as caught, library.ingest.transaction() as conn:
        check_findable(conn, document, chunks, elsewhere)
    assert caught.value.reason is Fault.NOT_FINDABLE


def test_a_document_that_is_switched_off_may_still_be_published(
    library: Library, person: Caller, admin: psycopg.Connection
) -> None:
    document = library.publish(person, "Herring is served on Thursdays.")
    admin.execute("UPDATE agent_document SET rag_enabled = false")
    chunks = chunks_of(document, "Herring is served on Thursdays.")
    with library.ingest.transaction() as conn:
        check_findable(conn, document, chunks, embedded(probe_of(chunks).question))


def test_the_phrase_stands_in_the_text(library: Library, person: Caller) -> None:
    document = library.announce(person)
    chunks = chunks_of(document, "One two three.\nFour five six. " * 40)
    question = probe_of(chunks).question
    assert 0 < len(question) <= 200
    assert question in " ".join(probe_of(chunks).chunk.content.split())
