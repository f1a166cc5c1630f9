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
               OR d.agent_id = coalesce(
                   %(agent_id)s::uuid, (SELECT agent_id FROM agent_conversation WHERE id = %(conversation_id)s)))
    )
"""
# Each word of the question, as the beginning of a word where it is long enough, and how many chunks of a sample have
# it. Quoted, so that no character of it is an operator.
SELECT_TERMS: Final[LiteralString] = """
    WITH terms AS MATERIALIZED (
        SELECT (quote_literal(term) || CASE WHEN char_length(term) >= %(prefix_characters)s THEN ':*' ELSE '' END)
            ::tsquery AS word,
            EXISTS (SELECT FROM unnest(%(stemmers)s::regdictionary[]) AS d (dictionary)
                WHERE ts_lexize(d.dictionary, term) = '{}') AS common
        FROM unnest(tsvector_to_array(to_tsvector('simple', normalize(%(query)s, NFKC)))) AS term
        LIMIT %(query_terms)s
    ),
    sample AS MATERIALIZED (
        SELECT c.id, c.tsv FROM agent_document_chunk AS c
        WHERE c.document_id = ANY (%(ids)s) AND c.chunk_index %% %(step)s = 0
        LIMIT %(sample)s
    ),
    size AS (SELECT count(*) AS chunks FROM sample)
    SELECT t.word::text, t.common, count(s.id), size.chunks
    FROM terms AS t CROSS JOIN size LEFT JOIN sample AS s ON s.tsv @@ t.word
    GROUP BY t.word::text, t.common, size.chunks
"""
# ts_rank of a single word is a sum of 1/i² over its places, between 0.06 (once) and 0.1: tenfold it saturates in 1.
_POOL: Final[LiteralString] = """
    SELECT c.id,
           CASE WHEN c.embedder = %(embedder)s AND %(vector)s::halfvec IS NOT NULL
                THEN greatest(0, 1 - (c.embedding <=> %(vector)s::halfvec)) END AS vector_score,
           CASE WHEN c.tsv @@ %(any_word)s::tsquery THEN (
               SELECT sum(t.weight * least(10 * ts_rank(c.tsv, t.word), 1))
               FROM unnest(%(words)s::tsquery[], %(weights)s::float8[]) AS t (word, weight)
           ) ELSE 0 END AS met
    FROM agent_document_chunk AS c
"""
_RANKED: Final[LiteralString] = """
    best AS (SELECT greatest(max(met), %(least_best)s) AS met FROM pool),
    scored AS (
        SELECT p.id, coalesce(p.vector_score, 0) AS vector_score, least(p.met / b.met, 1) AS text_score
        FROM pool AS p CROSS JOIN best AS b
    ),
    ranked AS (
        SELECT id, vector_score, text_score,
               %(vector_weight)s * vector_score + %(text_weight)s * text_score AS score
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
SEARCH_ALL: Final[LiteralString] = f"""
    WITH pool AS MATERIALIZED ({_POOL} WHERE c.document_id = ANY (%(ids)s)), {_RANKED}
"""
SELECT_NEAR: Final[LiteralString] = """
    SELECT c.id FROM agent_document_chunk AS c
    WHERE c.document_id = ANY (%(ids)s) AND c.embedder = %(embedder)s
    ORDER BY c.embedding <=> %(vector)s::halfvec
    LIMIT %(candidates)s
"""
SEARCH_CANDIDATES: Final[LiteralString] = f"""
    WITH worded AS MATERIALIZED (
        SELECT c.id FROM agent_document_chunk AS c
        WHERE c.document_id = ANY (%(ids)s) AND c.tsv @@ %(any_word)s::tsquery
        ORDER BY ts_rank(c.tsv, %(any_word)s::tsquery) DESC
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


def terms(conn: Connection[Any], values: dict[str, Any]) -> list[tuple[str, bool, int, int]]:
    """Return each word of the question: as a tsquery, whether it is a stop word, how many chunks of a sample have it,
    and how large that is."""
    return conn.execute(SELECT_TERMS, values).fetchall()


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


def ask_searchable(
    conn: Connection[Any], filters: dict[str, Any], conversation_id: ConversationId, *, agent_id: UUID | None
) -> Later[bool]:
    """Ask whether any document would be searched."""
    cursor = conn.execute(SELECT_SEARCHABLE, {**filters, "conversation_id": conversation_id, "agent_id": agent_id})
    return Later(cursor, lambda answer: bool((answer.fetchone() or (False,))[0]))
