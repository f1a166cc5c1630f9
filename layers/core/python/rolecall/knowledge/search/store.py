"""SQL of search. Row-level security keeps a caller to their tenant; the statements name it again, for the indexes."""

from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Connection
from psycopg.rows import class_row

from rolecall.db.later import Later
from rolecall.identity import Caller
from rolecall.ids import AgentId, ConversationId
from rolecall.knowledge.models import Passage

_SEARCHED: Final[LiteralString] = """
    d.company_id IS NOT DISTINCT FROM %(company_id)s::uuid
    AND (d.company_id IS NOT NULL OR d.created_by_id = %(user_id)s)
    AND d.completed_at IS NOT NULL
    AND (d.rag_enabled OR %(disabled_too)s)
    AND (%(tags)s::text[] IS NULL OR d.tags && %(tags)s::text[])
    AND (%(document_ids)s::uuid[] IS NULL OR d.id = ANY (%(document_ids)s::uuid[]))
    AND (%(document_ids)s::uuid[] IS NOT NULL OR d.agent_id IS NOT DISTINCT FROM %(agent_id)s::uuid)
"""
SELECT_SCOPE: Final[LiteralString] = f"""
    SELECT coalesce(array_agg(d.id), '{{}}'), coalesce(sum(d.chunk_count), 0)::bigint
    FROM agent_document AS d
    WHERE {_SEARCHED}
"""
SELECT_SEARCHABLE: Final[LiteralString] = """
    SELECT EXISTS (
        SELECT FROM agent_document AS d
        WHERE d.company_id IS NOT DISTINCT FROM %(company_id)s::uuid
          AND (d.company_id IS NOT NULL OR d.created_by_id = %(user_id)s)
          AND d.completed_at IS NOT NULL AND d.rag_enabled
          AND (d.agent_id IS NULL
               OR d.agent_id = (SELECT agent_id FROM agent_conversation WHERE id = %(conversation_id)s))
    )
"""
# Each word of the question as itself, and as the beginning of a word. Quoted, so no character of it is an operator.
_TERMS: Final[LiteralString] = """
    terms AS MATERIALIZED (
        SELECT term, quote_literal(term)::tsquery AS word,
               CASE WHEN char_length(term) >= %(prefix_characters)s
                    THEN (quote_literal(term) || ':*')::tsquery ELSE quote_literal(term)::tsquery END AS start
        FROM unnest(tsvector_to_array(to_tsvector('simple', normalize(%(query)s, NFKC)))) AS term
        LIMIT %(query_terms)s
    )
"""
# ts_rank of a single word is a sum of 1/i² over its places, between 0.06 (once) and 0.1: tenfold it saturates in 1.
# A word counts by its rarity among the candidates; text_score is the share of the question's weight that is met.
_RANKED: Final[LiteralString] = """
    hits AS (
        SELECT p.id, t.term, greatest(ts_rank(p.tsv, t.word), %(prefix_share)s * ts_rank(p.tsv, t.start)) * 10 AS met
        FROM pool AS p JOIN terms AS t ON p.tsv @@ t.start
    ),
    weights AS (
        SELECT t.term, ln(1 + (n.n - count(h.id) + 0.5) / (count(h.id) + 0.5)) AS weight
        FROM terms AS t CROSS JOIN (SELECT count(*) AS n FROM pool) AS n LEFT JOIN hits AS h USING (term)
        GROUP BY t.term, n.n
    ),
    texts AS (
        SELECT h.id, sum(h.met * w.weight) / (SELECT sum(weight) FROM weights) AS text_score
        FROM hits AS h JOIN weights AS w USING (term)
        GROUP BY h.id
    ),
    scored AS (
        SELECT p.id, p.vector_score, least(coalesce(t.text_score, 0), 1)::float8 AS text_score
        FROM pool AS p LEFT JOIN texts AS t USING (id)
    ),
    ranked AS (
        SELECT id, coalesce(vector_score, 0) AS vector_score, text_score,
               CASE WHEN vector_score IS NULL THEN text_score * %(text_alone)s
                    ELSE greatest(vector_score, %(vector_weight)s * vector_score + %(text_weight)s * text_score)
               END AS score
        FROM scored
        ORDER BY score DESC, id
        LIMIT %(candidates)s
    )
    SELECT c.id AS chunk_id, c.document_id, c.chunk_index, d.filename, c.page_from, c.page_to, c.section, c.char_from,
           c.char_to, c.content, r.score, r.vector_score, r.text_score
    FROM ranked AS r JOIN agent_document_chunk AS c ON c.id = r.id JOIN agent_document AS d ON d.id = c.document_id
    WHERE r.score >= %(floor)s
    ORDER BY r.score DESC, c.document_id, c.chunk_index
"""
_POOL: Final[LiteralString] = """
    SELECT c.id, c.tsv,
           CASE WHEN c.embedder = %(embedder)s AND %(vector)s::halfvec IS NOT NULL
                THEN greatest(0, 1 - (c.embedding <=> %(vector)s::halfvec)) END AS vector_score
    FROM agent_document_chunk AS c
"""
SEARCH_ALL: Final[LiteralString] = f"""
    WITH {_TERMS}, pool AS MATERIALIZED ({_POOL} WHERE c.document_id = ANY (%(ids)s)), {_RANKED}
"""
SELECT_NEAR: Final[LiteralString] = """
    SELECT c.id FROM agent_document_chunk AS c
    WHERE c.document_id = ANY (%(ids)s) AND c.embedder = %(embedder)s
    ORDER BY c.embedding <=> %(vector)s::halfvec
    LIMIT %(candidates)s
"""
SEARCH_CANDIDATES: Final[LiteralString] = f"""
    WITH {_TERMS},
    query AS MATERIALIZED (SELECT string_agg(word::text, ' | ')::tsquery AS words FROM terms),
    worded AS MATERIALIZED (
        SELECT c.id FROM agent_document_chunk AS c CROSS JOIN query AS q
        WHERE c.document_id = ANY (%(ids)s) AND c.tsv @@ q.words
        ORDER BY ts_rank(c.tsv, q.words) DESC
        LIMIT %(candidates)s
    ),
    pool AS MATERIALIZED ({_POOL} WHERE c.id = ANY (%(near)s) OR c.id IN (SELECT w.id FROM worded AS w)),
    {_RANKED}
"""
# Local to the transaction: a pooled connection neither loses nor keeps it.
ITERATE: Final[LiteralString] = """
    SELECT set_config('hnsw.iterative_scan', 'strict_order', true), set_config('hnsw.ef_search', '200', true),
           set_config('hnsw.max_scan_tuples', '40000', true)
"""
SELECT_CHUNK: Final[LiteralString] = """
    SELECT c.id AS chunk_id, c.document_id, c.chunk_index, d.filename, c.page_from, c.page_to, c.section, c.char_from,
           c.char_to, c.content, 0::float8 AS score, 0::float8 AS vector_score, 0::float8 AS text_score
    FROM agent_document_chunk AS c JOIN agent_document AS d ON d.id = c.document_id
    WHERE c.id = %(id)s AND d.company_id IS NOT DISTINCT FROM %(company_id)s::uuid
      AND (d.company_id IS NOT NULL OR d.created_by_id = %(user_id)s)
"""


def chunk(conn: Connection[Any], caller: Caller, chunk_id: UUID) -> Passage | None:
    """Read one chunk of the caller's scope; its scores are 0, since nothing was asked."""
    values = {"id": chunk_id, "company_id": caller.company_id, "user_id": caller.user_id}
    with conn.cursor(row_factory=class_row(Passage)) as cursor:
        return cursor.execute(SELECT_CHUNK, values).fetchone()


def scope(conn: Connection[Any], filters: dict[str, Any], agent_id: AgentId | None) -> tuple[list[UUID], int]:
    """Return the documents to search, and how many chunks they have: the agent's, or else the company's."""
    for choice in dict.fromkeys([agent_id, None]):
        row = conn.execute(SELECT_SCOPE, {**filters, "agent_id": choice}).fetchone()
        if row and row[0]:
            return row[0], row[1]
    return [], 0


def near(conn: Connection[Any], values: dict[str, Any]) -> list[UUID]:
    """Return the chunks that the vector index finds nearest, at most `candidates`."""
    conn.execute(ITERATE)
    return [chunk_id for (chunk_id,) in conn.execute(SELECT_NEAR, values).fetchall()]


def all_scored(conn: Connection[Any], values: dict[str, Any]) -> list[Passage]:
    """Score every chunk of the documents."""
    with conn.cursor(row_factory=class_row(Passage)) as cursor:
        return cursor.execute(SEARCH_ALL, values).fetchall()


def candidates_scored(conn: Connection[Any], values: dict[str, Any], near: list[UUID]) -> list[Passage]:
    """Score these chunks, and those that the words find."""
    with conn.cursor(row_factory=class_row(Passage)) as cursor:
        return cursor.execute(SEARCH_CANDIDATES, {**values, "near": near}).fetchall()


def ask_searchable(conn: Connection[Any], filters: dict[str, Any], conversation_id: ConversationId) -> Later[bool]:
    """Ask whether any document would be searched."""
    cursor = conn.execute(SELECT_SEARCHABLE, {**filters, "conversation_id": conversation_id})
    return Later(cursor, lambda answer: bool((answer.fetchone() or (False,))[0]))
