"""Hybrid search: cosine of vectors and match of words over the documents that a caller may read.

score = 0.7 * cosine + 0.3 * text. The text part weighs each word by its rarity and is scaled by the best hit, or by
half of the question's weight where even the best hit meets less than that, so that words like "the" alone count for
little. In nDCG@10 on XQuAD (en, de) and Cranfield this beats the offline vectors and BM25 alone.

A tenant with few chunks is searched exactly: every chunk is scored. A large one gets its candidates from the HNSW
index and from the words, and falls back to the exact scan where the index returns too few.
"""

import math
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from psycopg import Connection

from rolecall.db.later import Later
from rolecall.identity import Caller
from rolecall.ids import AgentId, ConversationId
from rolecall.knowledge.clean import as_query
from rolecall.knowledge.embed import Vector, embed_query, literal
from rolecall.knowledge.models import DocumentId, Passage
from rolecall.knowledge.search import store

__all__ = ["ask_searchable", "embed_query", "floor", "search"]

VECTOR_WEIGHT: Final = 0.7
TEXT_WEIGHT: Final = 0.3
EXACT_CHUNKS: Final = 10_000
"""Up to this many chunks every one is scored."""
CANDIDATES: Final = 100
NEIGHBOURS: Final = 2
"""Hits within this many chunks of a better one of the same document are dropped."""
QUERY_TERMS: Final = 64
WEIGHED_TERMS: Final = 12
"""Only the rarest words of a question are looked for."""
LEAST_WEIGHT: Final = 0.1
"""Words that weigh less than this part of the rarest one are not looked for."""
SAMPLE_CHUNKS: Final = 400
PREFIX_CHARACTERS: Final = 4
"""Words from this length on also match as the beginning of a word, since 'simple' knows no endings."""
HALF: Final = 0.5
BACKGROUND: Final = 20
"""Chunks of ordinary prose that are thought to be there as well: they have every stop word and no other. In a tenant's
first document nothing else tells common words from rare ones."""
UNKNOWN_SHARE: Final = 0.35
"""What a word counts that no chunk has, beside the rarest possible one."""
_LANGUAGES: Final = (
    *("english", "swedish", "danish", "norwegian", "finnish", "german", "dutch", "french", "spanish", "italian"),
    "portuguese",
)
STEMMERS: Final = [f"{language}_stem" for language in _LANGUAGES]
"""Postgres' dictionaries that know stop words."""

DEFAULT_MIN_SCORE: Final = 0.15
FLOORS: Final[dict[str, float]] = {"amazon.titan-embed-text-v2:0": 0.15, "rolecall.offline-embed-v1": 0.2}
"""What ragMinScore 0.15 means for each embedder: unrelated texts have another cosine with each. Offline: 95 % of the
right passages of XQuAD score above 0.38; the best wrong one of another collection is below 0.25 in the median."""


def floor(min_score: float, embedder: str) -> float:
    """Translate a least score, given on Titan's scale, to another embedder's.

    0.15 becomes that embedder's floor, 0 and 1 stay; straight lines between.
    """
    own = FLOORS.get(embedder, DEFAULT_MIN_SCORE)
    if min_score <= DEFAULT_MIN_SCORE:
        return min_score * own / DEFAULT_MIN_SCORE
    return own + (min_score - DEFAULT_MIN_SCORE) * (1 - own) / (1 - DEFAULT_MIN_SCORE)


def ask_searchable(
    conn: Connection[Any], caller: Caller, conversation_id: ConversationId, *, agent_id: UUID | None = None
) -> Later[bool]:
    """Ask whether there is any document that a search for the conversation's agent would look into."""
    return store.ask_searchable(conn, _filters(caller), conversation_id, agent_id=agent_id)


def search(
    conn: Connection[Any],
    caller: Caller,
    query: str,
    vector: Vector | None,
    *,
    embedder: str,
    agent_id: AgentId | None = None,
    top_k: int = 5,
    min_score: float = DEFAULT_MIN_SCORE,
    tags: Sequence[str] | None = None,
    document_ids: Sequence[DocumentId] | None = None,
    disabled_too: bool = False,
) -> list[Passage]:
    """Find the passages that answer a question best, the best first.

    Args:
        conn: The caller's transaction.
        caller: Whose documents are searched; row-level security says the same again.
        query: The question, in plain words; no character in it is an operator.
        vector: Its vector; None where the embedder failed, then words alone decide.
        embedder: The model that made `vector`; chunks of another one are found by their words only.
        agent_id: Search the documents of this agent, or the company's where it has none.
        top_k: Passages at most.
        min_score: Least score, on Titan's scale.
        tags: Only documents with one of these.
        document_ids: Only these documents, whichever agent they belong to.
        disabled_too: Also documents that are switched off.

    Returns:
        Passages not within two chunks of a better one.
    """
    question = as_query(query)
    if not question or top_k < 1:
        return []
    filters = _filters(caller, tags=tags, document_ids=document_ids, disabled_too=disabled_too)
    ids, chunks = store.scope(conn, filters, agent_id)
    if not ids:
        return []
    values = {
        "ids": ids,
        "query": question,
        "vector": literal(vector) if vector is not None else None,
        "embedder": embedder,
        "candidates": max(CANDIDATES, 5 * top_k),
        "floor": floor(min_score, embedder),
        "vector_weight": 0.0 if vector is None else VECTOR_WEIGHT,
        "text_weight": 1.0 if vector is None else TEXT_WEIGHT,
        **_words(conn, ids, question, chunks),
    }
    return _diverse(_ranked(conn, values, chunks), top_k)


def _words(conn: Connection[Any], ids: list[UUID], question: str, chunks: int) -> dict[str, Any]:
    """Weigh the question's words by their rarity in a sample of the chunks; the rarest are looked for."""
    asked = {"ids": ids, "query": question, "query_terms": QUERY_TERMS, "prefix_characters": PREFIX_CHARACTERS}
    sample = {"sample": SAMPLE_CHUNKS, "step": max(1, chunks // SAMPLE_CHUNKS), "stemmers": STEMMERS}
    found = store.terms(conn, asked | sample)
    weighed = sorted(((_weight(common, met, n), word) for word, common, met, n in found), reverse=True)
    rarest = weighed[0][0] if weighed else 0.0
    used = [(weight, word) for weight, word in weighed[:WEIGHED_TERMS] if weight >= LEAST_WEIGHT * rarest]
    return {
        "words": [word for _, word in used],
        "weights": [weight for weight, _ in used],
        "any_word": " | ".join(word for _, word in used),
        "least_best": HALF * sum(weight for weight, _ in weighed) or 1.0,
    }


def _weight(common: bool, met: int, chunks: int) -> float:
    """Return a word's inverse document frequency, as BM25 has it."""
    met, chunks = met + BACKGROUND * common, chunks + BACKGROUND
    return math.log(1 + (chunks - met + 0.5) / (met + 0.5)) * (1 if met else UNKNOWN_SHARE)


def _filters(
    caller: Caller,
    *,
    tags: Sequence[str] | None = None,
    document_ids: Sequence[DocumentId] | None = None,
    disabled_too: bool = False,
) -> dict[str, Any]:
    return {
        "company_id": caller.company_id,
        "user_id": caller.user_id,
        "tags": list(tags) if tags else None,
        "document_ids": None if document_ids is None else list(document_ids),
        "disabled_too": disabled_too,
    }


def _ranked(conn: Connection[Any], values: dict[str, Any], chunks: int) -> list[Passage]:
    if chunks > EXACT_CHUNKS and values["vector"] is not None:
        near = store.near(conn, values)
        if len(near) == values["candidates"]:  # fewer: the index stopped early, though there are more
            return store.candidates_scored(conn, values, near)
    return store.all_scored(conn, values)


def _diverse(passages: list[Passage], top_k: int) -> list[Passage]:
    """Keep the best, without those that lie within two chunks of one that is kept."""
    kept: list[Passage] = []
    for passage in passages:
        near = (
            other.document_id == passage.document_id and abs(other.chunk_index - passage.chunk_index) <= NEIGHBOURS
            for other in kept
        )
        if not any(near):
            kept.append(passage)
        if len(kept) == top_k:
            break
    return kept
