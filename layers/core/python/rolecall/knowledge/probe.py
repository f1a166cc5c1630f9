"""Proves that a document is found by its own words, before it may say COMPLETED."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from psycopg import Connection

from rolecall.identity import Caller
from rolecall.knowledge.embed import Vector
from rolecall.knowledge.faults import Fault, UnreadableDocument
from rolecall.knowledge.models import Chunk, Document, Passage
from rolecall.knowledge.search import NEIGHBOURS, search

PROBE_WORDS: Final = 24
PROBE_CHARACTERS: Final = 200
PROBE_HITS: Final = 20
_WORD: Final = re.compile(r"\w{2,}")


@dataclass(frozen=True, slots=True)
class Probe:
    """A phrase of a chunk, asked as a question."""

    chunk: Chunk
    question: str


def probe_of(chunks: Sequence[Chunk]) -> Probe:
    """Choose the chunk with the most words, and a phrase from the middle of it."""
    chosen = max(chunks, key=lambda item: len(_WORD.findall(item.content)))
    words = chosen.content.split()
    start = max((len(words) - PROBE_WORDS) // 2, 0)
    return Probe(chosen, " ".join(words[start : start + PROBE_WORDS])[:PROBE_CHARACTERS].strip())


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
        top_k=PROBE_HITS,
    )
    # A neighbour may stand for the chunk, as the search drops what lies next to a better hit.
    if not any(
        abs(passage.chunk_index - probe.chunk.index) <= NEIGHBOURS or _holds(passage, probe) for passage in found
    ):
        raise UnreadableDocument(Fault.NOT_FINDABLE)


def _holds(passage: Passage, probe: Probe) -> bool:
    return probe.question in " ".join(passage.content.split())
