from itertools import pairwise
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolecall.knowledge.chunk import CHARACTERS_PER_TOKEN, banner_of, chunk
from rolecall.knowledge.extract.blocks import Block, Extracted, Read, assemble
from rolecall.knowledge.models import Chunk, DocumentId

DOCUMENT = DocumentId(UUID(int=1))
words = st.text(st.sampled_from("ab .\n\t漢e\u0301😀\u200d🇸🇪"), max_size=400)
blocks = st.lists(
    st.builds(
        Block, words, page=st.none() | st.integers(1, 3), section=st.none() | st.sampled_from(["A", "A > B", "C"])
    ),
    max_size=6,
)


def chunks_of(extracted: Extracted, *, target: int = 20, overlap: int = 5, version: str = "v1") -> list[Chunk]:
    return chunk(extracted, document_id=DOCUMENT, version=version, title="T", target=target, overlap=overlap)


def a_text(text: str, section: str | None = None) -> Extracted:
    return assemble(Read([Block(text, section=section)]), "text/plain")


@given(blocks, st.integers(1, 30), st.integers(0, 10))
def test_chunks_are_exact_spans_that_leave_nothing_out(made: list[Block], target: int, overlap: int) -> None:
    extracted = assemble(Read(made), "text/plain")
    chunks = chunks_of(extracted, target=target, overlap=overlap)
    covered: set[int] = set()
    for index, item in enumerate(chunks):
        assert item.index == index
        assert extracted.text[item.char_from : item.char_to] == item.content
        assert item.content == item.content.strip() != ""
        assert len(item.content) <= target * CHARACTERS_PER_TOKEN or len(item.content) <= 200  # a bare heading joins
        covered |= set(range(item.char_from, item.char_to))
    assert not [at for at, letter in enumerate(extracted.text) if at not in covered and not letter.isspace()]


@given(blocks)
def test_a_chunk_lies_on_one_page(made: list[Block]) -> None:
    extracted = assemble(Read(made), "text/plain")
    for item in chunks_of(extracted):
        pages = {
            span.page for span in extracted.spans if span.char_from < item.char_to and item.char_from < span.char_to
        }
        assert pages == {item.page_from} == {item.page_to}


@given(words)
def test_chunks_go_forward_and_overlap_by_no_more_than_allowed(text: str) -> None:
    chunks = chunks_of(a_text(text))
    for before, after in pairwise(chunks):
        assert before.char_from < after.char_from
        assert before.char_to < after.char_to
        assert before.char_to - after.char_from <= 5 * CHARACTERS_PER_TOKEN


def test_a_chunk_ends_where_a_reader_would_pause() -> None:
    text = "First paragraph of some length here.\n\nSecond one. It has two sentences, and more words follow."
    contents = [item.content for item in chunks_of(a_text(text), target=14, overlap=0)]
    assert contents == [
        "First paragraph of some length here.",
        "Second one. It has two sentences, and more words follow.",
    ]


def test_text_without_any_pause_is_cut_all_the_same() -> None:
    chunks = chunks_of(a_text("x" * 1000))
    assert "".join(item.content for item in chunks) == "x" * 1000
    assert max(len(item.content) for item in chunks) == 80


def test_a_character_is_not_cut_from_what_joins_it() -> None:
    family = "👩\u200d👩\u200d👧"
    chunks = chunks_of(a_text("x" * 77 + family + "y" * 20), overlap=0)
    assert chunks[0].content == "x" * 77
    assert chunks[1].content.startswith(family)


def test_a_heading_with_nothing_under_it_joins_its_first_sub_section() -> None:
    read = Read(
        [Block("Leave", section="Leave"), Block("Parental", section="Leave > Parental"), Block("Pay", section="Pay")]
    )
    chunks = chunks_of(assemble(read, "text/plain"))
    assert [(item.section, item.content) for item in chunks] == [
        ("Leave > Parental", "Leave\n\nParental"),
        ("Pay", "Pay"),
    ]


def test_ids_follow_from_document_version_and_place() -> None:
    text = a_text("word " * 100)
    first, again, changed = chunks_of(text), chunks_of(text), chunks_of(text, version="v2")
    assert [item.id for item in first] == [item.id for item in again]
    assert not {item.id for item in first} & {item.id for item in changed}
    assert len({item.id for item in first}) == len(first) > 1


def test_the_banner_is_embedded_and_not_quoted() -> None:
    [item] = chunks_of(a_text("25 days.", section="Leave"))
    assert (item.content, item.embedded_text) == ("25 days.", "T > Leave\n\n25 days.")


@pytest.mark.parametrize(
    ("title", "section", "banner"),
    [("report.v2.pdf", None, "report.v2"), ("Dr. No", "A", "Dr. No > A"), ("Handbook", None, "Handbook")],
)
def test_banner_of(title: str, section: str | None, banner: str) -> None:
    assert banner_of(title, section) == banner
