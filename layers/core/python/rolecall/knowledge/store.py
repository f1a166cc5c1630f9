"""SQL of documents and chunks. The application's role makes, reads and deletes; the ingest role does the rest."""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from typing import Any, Final, LiteralString

from psycopg import Connection
from psycopg.rows import kwargs_row

from rolecall.identity import Caller
from rolecall.ids import AgentId
from rolecall.knowledge.embed import Vector, literal
from rolecall.knowledge.models import Chunk, Document, DocumentId, Status

_DOCUMENT: Final[LiteralString] = """
    id, company_id, created_by_id, agent_id, filename, title, mime_type, size_bytes, storage_key, etag, content_hash,
    status, error_code, error_message, rag_enabled, tags, category, embedder, page_count, chunk_count, token_count,
    created_at, updated_at, completed_at
"""
_IN_SCOPE: Final[LiteralString] = """
    company_id IS NOT DISTINCT FROM %(company_id)s::uuid
    AND (company_id IS NOT NULL OR created_by_id = %(user_id)s)
"""

LOCK_NAME: Final[LiteralString] = "SELECT pg_advisory_xact_lock(hashtextextended(%(name)s, 0))"
SELECT_SAME_NAME: Final[LiteralString] = f"""
    SELECT {_DOCUMENT} FROM agent_document
    WHERE {_IN_SCOPE} AND created_by_id = %(user_id)s AND agent_id IS NOT DISTINCT FROM %(agent_id)s::uuid
      AND filename = %(filename)s
    ORDER BY created_at, id
    LIMIT 1
"""
INSERT_DOCUMENT: Final[LiteralString] = f"""
    INSERT INTO agent_document (id, company_id, created_by_id, agent_id, filename, title, mime_type, size_bytes,
        storage_key, tags)
    VALUES (%(id)s, %(company_id)s, %(user_id)s, %(agent_id)s, %(filename)s, %(title)s, %(mime_type)s, %(size_bytes)s,
        %(storage_key)s, %(tags)s)
    RETURNING {_DOCUMENT}
"""
UPDATE_TAGS: Final[LiteralString] = f"""
    UPDATE agent_document SET tags = %(tags)s WHERE {_IN_SCOPE} AND id = %(id)s RETURNING {_DOCUMENT}
"""
SELECT_DOCUMENT: Final[LiteralString] = f"SELECT {_DOCUMENT} FROM agent_document WHERE {_IN_SCOPE} AND id = %(id)s"
SELECT_DOCUMENTS: Final[LiteralString] = f"""
    SELECT {_DOCUMENT} FROM agent_document
    WHERE {_IN_SCOPE}
      AND (NOT %(one_agent)s OR agent_id IS NOT DISTINCT FROM %(agent_id)s::uuid)
      AND (%(before)s::timestamptz IS NULL OR (created_at, id) < (%(before)s, %(before_id)s::uuid))
    ORDER BY created_at DESC, id DESC
    LIMIT %(limit)s
"""
DELETE_DOCUMENT: Final[LiteralString] = f"""
    DELETE FROM agent_document WHERE {_IN_SCOPE} AND id = %(id)s RETURNING {_DOCUMENT}
"""

# A message may come twice, late, or after a newer one; who reads may have died. All that is decided here.
CLAIM: Final[LiteralString] = f"""
    UPDATE agent_document
    SET status = 'PROCESSING', claim = %(message_id)s || ':' || %(receive)s, claimed_until = now() + %(lease)s,
        attempts = CASE WHEN sequencer = %(sequencer)s THEN least(attempts + 1, 10) ELSE 1 END,
        etag = %(etag)s, sequencer = %(sequencer)s, error_code = NULL, error_message = NULL
    WHERE id = %(id)s AND storage_key = %(storage_key)s
      AND (
        coalesce(sequencer, '') < %(sequencer)s
        OR (sequencer = %(sequencer)s AND status NOT IN ('COMPLETED', 'FAILED')
            AND (claimed_until IS NULL OR claimed_until < now() OR split_part(claim, ':', 1) = %(message_id)s))
      )
    RETURNING {_DOCUMENT}
"""
ADVANCE: Final[LiteralString] = f"""
    UPDATE agent_document SET status = %(status)s, claimed_until = now() + %(lease)s
    WHERE id = %(id)s AND claim = %(claim)s
    RETURNING {_DOCUMENT}
"""
RELEASE: Final[LiteralString] = f"""
    UPDATE agent_document SET status = 'PENDING', claimed_until = NULL
    WHERE id = %(id)s AND claim = %(claim)s
    RETURNING {_DOCUMENT}
"""
FAIL: Final[LiteralString] = f"""
    UPDATE agent_document
    SET status = 'FAILED', error_code = %(error_code)s, error_message = %(error_message)s, claim = NULL,
        claimed_until = NULL
    WHERE id = %(id)s AND claim = %(claim)s
    RETURNING {_DOCUMENT}
"""
FAIL_LOST: Final[LiteralString] = f"""
    UPDATE agent_document
    SET status = 'FAILED', error_code = %(error_code)s, error_message = %(error_message)s, claim = NULL,
        claimed_until = NULL
    WHERE id = %(id)s AND storage_key = %(storage_key)s AND status NOT IN ('COMPLETED', 'FAILED')
      AND coalesce(sequencer, '') <= %(sequencer)s
      AND (claimed_until IS NULL OR claimed_until < now() OR split_part(claim, ':', 1) = %(message_id)s)
    RETURNING {_DOCUMENT}
"""
COMPLETE: Final[LiteralString] = f"""
    UPDATE agent_document
    SET status = 'COMPLETED', etag = %(etag)s, content_hash = %(content_hash)s, embedder = %(embedder)s,
        mime_type = %(mime_type)s, size_bytes = %(size_bytes)s, title = coalesce(title, %(title)s),
        page_count = %(page_count)s, chunk_count = %(chunk_count)s, token_count = %(token_count)s,
        completed_at = now(), claim = NULL, claimed_until = NULL
    WHERE id = %(id)s AND claim = %(claim)s
    RETURNING {_DOCUMENT}
"""
CONFIRM: Final[LiteralString] = f"""
    UPDATE agent_document SET status = 'COMPLETED', etag = %(etag)s, claim = NULL, claimed_until = NULL
    WHERE id = %(id)s AND claim = %(claim)s
    RETURNING {_DOCUMENT}
"""
DELETE_CHUNKS: Final[LiteralString] = "DELETE FROM agent_document_chunk WHERE document_id = %(id)s"
INSERT_CHUNKS: Final[LiteralString] = """
    INSERT INTO agent_document_chunk (id, document_id, company_id, created_by_id, chunk_index, content, content_hash,
        banner, section, page_from, page_to, char_from, char_to, token_count, embedding, embedder)
    SELECT row.id, %(document_id)s, %(company_id)s, %(created_by_id)s, row.index, row.content, row.content_hash,
        row.banner, row.section, row.page_from, row.page_to, row.char_from, row.char_to, row.token_count,
        row.embedding::halfvec, %(embedder)s
    FROM unnest(%(ids)s::uuid[], %(indexes)s::int[], %(contents)s::text[], %(hashes)s::text[], %(banners)s::text[],
        %(sections)s::text[], %(pages_from)s::int[], %(pages_to)s::int[], %(chars_from)s::int[], %(chars_to)s::int[],
        %(tokens)s::int[], %(embeddings)s::text[]) AS row (id, index, content, content_hash, banner, section,
        page_from, page_to, char_from, char_to, token_count, embedding)
"""
SELECT_VECTORS: Final[LiteralString] = """
    SELECT content_hash, embedding::text
    FROM agent_document_chunk
    WHERE document_id = %(id)s AND embedder = %(embedder)s
"""
CHUNKS_A_STATEMENT: Final = 500


def _document(**columns: Any) -> Document:
    return Document(**{**columns, "status": Status(columns["status"])})


def _one(conn: Connection[Any], statement: LiteralString, values: Mapping[str, Any]) -> Document | None:
    with conn.cursor(row_factory=kwargs_row(_document)) as cursor:
        return cursor.execute(statement, values).fetchone()


def _scope(caller: Caller) -> dict[str, Any]:
    return {"company_id": caller.company_id, "user_id": caller.user_id}


# As the application ----------------------------------------------------------------------------------------


def same_name(conn: Connection[Any], caller: Caller, agent_id: AgentId | None, filename: str) -> Document | None:
    """Find the caller's own document of that name, and keep others from making one until the transaction ends."""
    name = f"{caller.company_id}:{caller.user_id}:{agent_id}:{filename}"
    conn.execute(LOCK_NAME, {"name": name})
    return _one(conn, SELECT_SAME_NAME, {**_scope(caller), "agent_id": agent_id, "filename": filename})


def insert(conn: Connection[Any], caller: Caller, row: Mapping[str, Any]) -> Document:
    """Add a PENDING row: id, agent_id, filename, title, mime_type, size_bytes, storage_key, tags."""
    made = _one(conn, INSERT_DOCUMENT, {**_scope(caller), **row})
    assert made is not None
    return made


def set_tags(conn: Connection[Any], caller: Caller, document_id: DocumentId, tags: Sequence[str]) -> Document | None:
    """Replace a document's tags."""
    return _one(conn, UPDATE_TAGS, {**_scope(caller), "id": document_id, "tags": list(tags)})


def select(conn: Connection[Any], caller: Caller, document_id: DocumentId) -> Document | None:
    """Read a document of the caller's scope."""
    return _one(conn, SELECT_DOCUMENT, {**_scope(caller), "id": document_id})


def select_all(
    conn: Connection[Any],
    caller: Caller,
    *,
    agent_id: AgentId | None,
    one_agent: bool,
    before: Document | None,
    limit: int,
) -> list[Document]:
    """List the scope's documents, newest first."""
    values = {
        **_scope(caller),
        "agent_id": agent_id,
        "one_agent": one_agent,
        "before": before.created_at if before else None,
        "before_id": before.id if before else None,
        "limit": limit,
    }
    with conn.cursor(row_factory=kwargs_row(_document)) as cursor:
        return cursor.execute(SELECT_DOCUMENTS, values).fetchall()


def delete(conn: Connection[Any], caller: Caller, document_id: DocumentId) -> Document | None:
    """Delete a document with its chunks; None where the caller may not, or it is not there."""
    return _one(conn, DELETE_DOCUMENT, {**_scope(caller), "id": document_id})


# As ingest -------------------------------------------------------------------------------------------------


def claim(conn: Connection[Any], lease: timedelta, **values: Any) -> Document | None:
    """Take a document to read what an event announced.

    Args:
        conn: The ingest role's transaction.
        lease: How long the claim holds unless it is renewed.
        values: id, storage_key, etag, sequencer, message_id, receive.

    Returns:
        None where there is nothing to do: no such row, read already, announced again later, or being read.
    """
    return _one(conn, CLAIM, {**values, "receive": str(values["receive"]), "lease": lease})


def advance(
    conn: Connection[Any], document_id: DocumentId, claim: str, status: Status, lease: timedelta
) -> Document | None:
    """Set the status and renew the claim; None where it is lost."""
    return _one(conn, ADVANCE, {"id": document_id, "claim": claim, "status": status, "lease": lease})


def release(conn: Connection[Any], document_id: DocumentId, claim: str) -> Document | None:
    """Give a document back, to be tried again."""
    return _one(conn, RELEASE, {"id": document_id, "claim": claim})


def fail(
    conn: Connection[Any], document_id: DocumentId, claim: str, error_code: str, error_message: str
) -> Document | None:
    """End in failure. A version published before stays published."""
    values = {"id": document_id, "claim": claim, "error_code": error_code, "error_message": error_message}
    return _one(conn, FAIL, values)


def fail_lost(conn: Connection[Any], **values: Any) -> Document | None:
    """End a document whose message was given up, unless another reads it or a newer object came.

    Args:
        conn: The ingest role's transaction.
        values: id, storage_key, sequencer, message_id, error_code, error_message.
    """
    return _one(conn, FAIL_LOST, values)


def confirm(conn: Connection[Any], document_id: DocumentId, claim: str, etag: str) -> Document | None:
    """End well without a change: the object is what was published already."""
    return _one(conn, CONFIRM, {"id": document_id, "claim": claim, "etag": etag})


def complete(
    conn: Connection[Any],
    document_id: DocumentId,
    claim: str,
    chunks: Sequence[Chunk],
    vectors: Sequence[Vector],
    **facts: Any,
) -> Document | None:
    """Switch to the new chunks and to COMPLETED, in the caller's transaction.

    Args:
        conn: The ingest role's transaction.
        document_id: Whose.
        claim: Under which it was read.
        chunks: All of them, in order.
        vectors: One for each.
        facts: etag, content_hash, embedder, mime_type, size_bytes, title, page_count.
    """
    counts = {"chunk_count": len(chunks), "token_count": sum(chunk.token_count for chunk in chunks)}
    document = _one(conn, COMPLETE, {**facts, **counts, "id": document_id, "claim": claim})
    if document is not None:
        conn.execute(DELETE_CHUNKS, {"id": document_id})
        for at in range(0, len(chunks), CHUNKS_A_STATEMENT):
            part = slice(at, at + CHUNKS_A_STATEMENT)
            _insert_chunks(conn, document, chunks[part], vectors[part])
    return document


def _insert_chunks(
    conn: Connection[Any], document: Document, chunks: Sequence[Chunk], vectors: Sequence[Vector]
) -> None:
    columns = {
        "ids": [chunk.id for chunk in chunks],
        "indexes": [chunk.index for chunk in chunks],
        "contents": [chunk.content for chunk in chunks],
        "hashes": [chunk.content_hash for chunk in chunks],
        "banners": [chunk.banner for chunk in chunks],
        "sections": [chunk.section for chunk in chunks],
        "pages_from": [chunk.page_from for chunk in chunks],
        "pages_to": [chunk.page_to for chunk in chunks],
        "chars_from": [chunk.char_from for chunk in chunks],
        "chars_to": [chunk.char_to for chunk in chunks],
        "tokens": [chunk.token_count for chunk in chunks],
        "embeddings": [literal(vector) for vector in vectors],
    }
    owner = {
        "document_id": document.id,
        "company_id": document.company_id,
        "created_by_id": document.created_by_id,
        "embedder": document.embedder,
    }
    conn.execute(INSERT_CHUNKS, {**columns, **owner})


def vectors_of(conn: Connection[Any], document_id: DocumentId, embedder: str) -> dict[str, Vector]:
    """Read the published vectors by what they stand for, so that only what changed is embedded anew."""
    rows = conn.execute(SELECT_VECTORS, {"id": document_id, "embedder": embedder}).fetchall()
    return {content_hash: [float(number) for number in text[1:-1].split(",")] for content_hash, text in rows}
