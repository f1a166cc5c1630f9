"""Proves that a document is found by its own words, before it may say COMPLETED."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg import Connection

from rolecall.identity import Caller
from rolecall.knowledge.embed import Vector
from rolecall.knowledge.faults import Fault, UnreadableDocument
from rolecall.knowledge.models import Chunk, Document
from rolecall.knowledge.search import search

PROBE_CHARACTERS: Final = 200
_WORD: Final = re.compile(r"\w{2,}")


@dataclass(frozen=True, slots=True)
class Probe:
    """A phrase of a chunk, asked as a question."""

    chunk: Chunk
    question: str


def probe_of(chunks: Sequence[Chunk]) -> Probe:
    """Choose the chunk with the most words, and a phrase from the middle of it."""
    chosen = max(chunks, key=lambda item: len(_WORD.findall(item.content)))
    text = chosen.content
    start = max((len(text) - PROBE_CHARACTERS) // 2, 0)
    start = text.find(" ", 0, start) + 1 if start > 0 and text.find(" ", 0, start) < 0 else _word_start(text, start)
    phrase = " ".join(text[start : start + PROBE_CHARACTERS].split())
    return Probe(chosen, phrase or text[:PROBE_CHARACTERS])


def _word_start(text: str, at: int) -> int:
    if at == 0:
        return 0
    space = text.find(" ", at, at + PROBE_CHARACTERS // 2)
    return space + 1 if space >= 0 else at


def check_findable(conn: Connection[Any], document: Document, chunks: Sequence[Chunk], vector: Vector) -> None:
    """Search for the phrase in the transaction that publishes the document.

    Raises:
        UnreadableDocument: the search did not find it, so nothing may be published.
    """
    probe = probe_of(chunks)
    found = search(
        conn,
        Caller(document.created_by_id, document.company_id),
        probe.question,
        vector,
        embedder=document.embedder or "",
        document_ids=[document.id],
        disabled_too=True,
    )
    if not any(probe.question in " ".join(passage.content.split()) for passage in found):
        raise UnreadableDocument(Fault.NOT_FINDABLE)
