from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from rolecall.identity import Caller
from rolecall.ids import ConversationId
from rolecall.knowledge import search as searching
from rolecall.knowledge.models import DocumentId, Passage
from rolecall.knowledge.search import DEFAULT_MIN_SCORE, ask_searchable, floor, search
from tests.fakes import builders as build
from tests.unit.knowledge.conftest import EMBEDDER, Library, embedded


def find(library: Library, who: Caller, question: str, *, vector: bool = True, **fields: Any) -> list[Passage]:
    with library.app.transaction(who) as conn:
        fields = {"embedder": EMBEDDER} | fields
        return search(conn, who, question, embedded(question) if vector else None, **fields)


def contents(passages: list[Passage]) -> list[str]:
    return [passage.content for passage in passages]


HERRING = "The cafeteria serves herring on Thursdays."
PARKING = "Parking permits are sold at the reception desk."
LEAVE = "Parental leave is 480 days for each child."


def test_a_question_in_plain_words_finds_its_answer_with_its_place(library: Library, person: Caller) -> None:
    document = library.publish(person, HERRING, PARKING, LEAVE, filename="rules.txt")
    [best, *_] = find(library, person, "Where can I buy a parking permit?")
    assert (best.content, best.document_id, best.filename, best.page_from) == (PARKING, document.id, "rules.txt", 2)
    assert 0 < best.text_score <= 1
    assert 0 < best.vector_score <= 1
    assert best.score == pytest.approx(0.7 * best.vector_score + 0.3 * best.text_score)


def test_a_match_of_words_never_lowers_a_chunk(library: Library, person: Caller) -> None:
    library.publish(person, HERRING, PARKING)
    found = find(library, person, "herring permits", min_score=0)
    with library.app.transaction(person) as conn:
        vector = embedded("herring permits")
        without = search(conn, person, "zzz", vector, embedder=EMBEDDER, min_score=0)
    assert [(p.chunk_id, p.score >= q.score) for p, q in zip(found, without, strict=True)] == [
        (q.chunk_id, True) for q in without
    ]


def test_a_rare_word_counts_for_more_than_common_ones(library: Library, person: Caller) -> None:
    for at in range(8):
        library.publish(person, f"The rules of the house say what the staff does on day {at}.")
    rare = library.publish(person, "A xylograph hangs there.")
    best = find(library, person, "what does the xylograph say", vector=False)[0]
    assert best.document_id == rare.id


def test_common_words_alone_are_no_hit(library: Library, person: Caller) -> None:
    library.publish(person, *[f"The list of the items is in room {at}." for at in range(6)])
    scores = [p.text_score for p in find(library, person, "what is the amortisation of goodwill", min_score=0)]
    assert max(scores) < 0.5


def test_another_companys_documents_are_not_found(library: Library, person: Caller, admin: psycopg.Connection) -> None:
    document = library.publish(person, HERRING)
    stranger = build.a_user(admin, company=build.a_company(admin))
    for who in (stranger, person.as_job_seeker(), Caller(stranger.user_id, person.company_id)):
        assert find(library, who, HERRING) == []
        assert find(library, who, HERRING, document_ids=[document.id]) == []


def test_a_colleague_finds_what_the_company_has(library: Library, person: Caller, admin: psycopg.Connection) -> None:
    assert person.company_id
    library.publish(person, HERRING)
    assert find(library, build.a_user(admin, company=person.company_id, role="MEMBER"), HERRING)


def test_a_job_seeker_finds_their_own_and_nobody_elses(library: Library, admin: psycopg.Connection) -> None:
    sam, ann = build.a_user(admin), build.a_user(admin)
    library.publish(sam, HERRING)
    assert contents(find(library, sam, HERRING)) == [HERRING]
    assert find(library, ann, HERRING) == []


def test_an_agents_documents_come_instead_of_the_companys(
    library: Library, person: Caller, admin: psycopg.Connection
) -> None:
    with_own, without = build.an_agent(admin, person), build.an_agent(admin, person)
    library.publish(person, HERRING)
    library.publish(person, HERRING + " With potatoes.", agent_id=with_own)
    assert contents(find(library, person, "herring", agent_id=with_own)) == [HERRING + " With potatoes."]
    assert contents(find(library, person, "herring", agent_id=without)) == [HERRING]
    assert contents(find(library, person, "herring")) == [HERRING]


def test_documents_switched_off_or_not_ready_are_not_searched(
    library: Library, person: Caller, admin: psycopg.Connection
) -> None:
    off = library.publish(person, HERRING)
    library.claim(library.announce(person))
    admin.execute("UPDATE agent_document SET rag_enabled = false WHERE id = %s", [off.id])
    assert find(library, person, HERRING) == []
    assert find(library, person, HERRING, disabled_too=True)
    conversation = ConversationId(build.a_conversation(admin, person))
    with library.app.transaction(person) as conn:
        assert not ask_searchable(conn, person, conversation).get()
    admin.execute("UPDATE agent_document SET rag_enabled = true WHERE id = %s", [off.id])
    with library.app.transaction(person) as conn:
        assert ask_searchable(conn, person, conversation).get()


def test_the_published_version_is_found_while_a_new_one_is_read_or_has_failed(library: Library, person: Caller) -> None:
    library.publish(person, HERRING, filename="x.txt")
    assert library.claim(library.announce(person, "x.txt"))
    assert contents(find(library, person, HERRING)) == [HERRING]


def test_tags_and_documents_narrow_the_search(library: Library, person: Caller) -> None:
    tagged = library.publish(person, HERRING, tags=["food", "rules"])
    other = library.publish(person, HERRING + " Again.")
    assert {p.document_id for p in find(library, person, HERRING, tags=["food", "x"])} == {tagged.id}
    assert {p.document_id for p in find(library, person, HERRING, document_ids=[other.id])} == {other.id}
    assert find(library, person, HERRING, document_ids=[]) == []


def test_hits_beside_a_better_one_are_dropped(library: Library, person: Caller) -> None:
    library.publish(person, *[f"Herring number {at} is served on Thursdays." for at in range(7)])
    indexes = [passage.chunk_index for passage in find(library, person, "herring on Thursdays", top_k=10)]
    assert len(indexes) >= 2
    assert all(abs(a - b) > 2 for at, a in enumerate(indexes) for b in indexes[:at])


def test_what_is_unrelated_is_not_returned(library: Library, person: Caller) -> None:
    library.publish(person, HERRING, PARKING)
    assert find(library, person, "quarterly amortisation schedule of intangible assets") == []


def test_without_a_vector_words_alone_decide(library: Library, person: Caller) -> None:
    library.publish(person, HERRING, PARKING, LEAVE)
    [best, *_] = find(library, person, "parental leave", vector=False)
    assert (best.content, best.vector_score, best.score) == (LEAVE, 0, best.text_score)


def test_chunks_of_another_embedder_are_found_by_their_words_alone(library: Library, person: Caller) -> None:
    library.publish(person, HERRING, embedder="amazon.titan-embed-text-v2:0")
    [found] = find(library, person, HERRING)
    assert (found.vector_score, found.text_score > 0.5) == (0, True)


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("ra\u0308ksmo\u0308rga\u030as serveras", "räksmörgås"),
        ("ÅSA ordnar festen", "åsa"),
        ("besöker vi kontoret", "BESÖK"),
        ("the ﬁeld has an oﬀer", "field offer"),
        ("\uff21\uff22\uff23 company", "abc"),
    ],
)
def test_words_match_whatever_their_form(library: Library, person: Caller, text: str, query: str) -> None:
    library.publish(person, text)
    assert find(library, person, query, vector=False)


QUERIES = [
    *("C++ & .NET (senior", "foo bar", "alice::bob", "'abs", "a | | b", "!", "hello!", "401 (k)", "\\", "<->", "(((("),
    *("a:*", "x'); DROP TABLE chunks; --", "\x00", "OR", '"unclosed', "'t' & ''", "a" * 5000, "\ud800", "", " ", "'''"),
    "\\'; --",
]


@pytest.mark.parametrize("query", QUERIES)
def test_no_question_is_an_error(library: Library, person: Caller, query: str) -> None:
    library.publish(person, HERRING + " hello 401")
    for passage in find(library, person, query, vector=False, min_score=0):
        assert 0 <= passage.score <= 1


# Large tenants ---------------------------------------------------------------------------------------------


@contextmanager
def treated_as_large(monkeypatch: pytest.MonkeyPatch, *, candidates: int) -> Iterator[None]:
    with monkeypatch.context() as patch:
        patch.setattr(searching, "EXACT_CHUNKS", 0)
        patch.setattr(searching, "CANDIDATES", candidates)
        yield


def spread(at: int, away: bool) -> str:
    vector = [0.0] * 1024
    vector[0 if away else 1] = 1.0
    vector[2 + at % 1000] = 0.3
    return str(vector)


def fill(admin: psycopg.Connection, owner: Caller, number: int, *, away: bool) -> DocumentId:
    document = build.a_document(admin, owner, completed_at="2026-01-01", chunk_count=number, status="COMPLETED")
    with admin.cursor().copy(
        "COPY agent_document_chunk (document_id, company_id, created_by_id, chunk_index, content, content_hash,"
        " char_from, char_to, embedding, embedder) FROM STDIN"
    ) as copy:
        for at in range(number):
            row = (document["id"], owner.company_id, owner.user_id, at * 3, f"text {at}", "0" * 64, 0, 5)
            copy.write_row((*row, spread(at, away), EMBEDDER))
    return DocumentId(document["id"])


def test_a_small_share_of_the_index_gets_all_its_hits(
    library: Library, person: Caller, admin: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    crowd = build.a_user(admin, company=build.a_company(admin))
    fill(admin, crowd, 3000, away=False)
    fill(admin, person, 200, away=True)
    admin.execute("ANALYZE agent_document_chunk")
    vector = [0.0, 1.0] + [0.0] * 1022  # where the crowd is
    with library.app.transaction(person) as conn:
        exact = search(conn, person, "zzz", vector, embedder=EMBEDDER, top_k=10, min_score=0)
        with treated_as_large(monkeypatch, candidates=50):
            indexed = search(conn, person, "zzz", vector, embedder=EMBEDDER, top_k=10, min_score=0)
    assert len(indexed) == len(exact) == 10
    assert [round(p.score, 3) for p in indexed] == [round(p.score, 3) for p in exact]


def test_a_large_search_finds_by_words_what_no_vector_is_near_to(
    library: Library, person: Caller, admin: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(admin, person, 300, away=True)
    library.publish(person, "The xylograph hangs in the hall.")
    with treated_as_large(monkeypatch, candidates=20), library.app.transaction(person) as conn:
        vector = [1.0] + [0.0] * 1023
        found = search(conn, person, "xylograph", vector, embedder=EMBEDDER, top_k=400, min_score=0)
    assert any("xylograph" in passage.content for passage in found)


def test_the_settings_of_the_index_end_with_the_transaction(
    library: Library, person: Caller, admin: psycopg.Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(admin, person, 30, away=True)
    with treated_as_large(monkeypatch, candidates=5):
        find(library, person, "text")
    with library.app.transaction(person) as conn:
        row = conn.execute("SELECT current_setting('hnsw.iterative_scan', true)").fetchone()
    assert row
    assert row[0] in {"off", "", None}


@pytest.mark.parametrize(("given", "kept"), [(0.0, 0.0), (DEFAULT_MIN_SCORE, 0.2), (1.0, 1.0)])
def test_a_least_score_is_translated_to_the_embedders_own_scale(given: float, kept: float) -> None:
    assert floor(given, EMBEDDER) == pytest.approx(kept)
    assert floor(given, "amazon.titan-embed-text-v2:0") == pytest.approx(given)
