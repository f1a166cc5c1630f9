"""Vectors go in and come out, on connections that were taught them."""

from typing import Any

from psycopg import Connection

from rolecall.db import Database
from rolecall.db.vectors import halfvec, with_vectors
from tests.fakes import builders as build


def test_a_vector_comes_back_as_it_went_in_and_is_found_by_its_cosine(db: Database, admin: Connection[Any]) -> None:
    ann = build.a_user(admin)
    document = build.a_document(admin, ann)["id"]
    near, far = [1.0] + [0.0] * 1023, [0.0] * 1023 + [1.0]
    with_vectors(admin)
    for index, vector in enumerate((far, near)):
        build.insert(
            admin,
            "agent_document_chunk",
            document_id=document,
            created_by_id=ann.user_id,
            chunk_index=index,
            content="text",
            content_hash="0" * 64,
            embedding=halfvec(vector),
            embedder="test",
        )
    nearest = "SELECT chunk_index, embedding FROM agent_document_chunk ORDER BY embedding <=> %s LIMIT 1"
    with db.transaction(ann) as conn:
        row = with_vectors(conn).execute(nearest, [halfvec(near)]).fetchone()
    assert row is not None
    assert (row[0], row[1].to_list()) == (1, near)


def test_a_connection_is_taught_only_once(db: Database) -> None:
    with db.transaction() as conn:
        assert conn.adapters.types.get("halfvec") is None
        known = with_vectors(conn).adapters.types.get("halfvec")
        assert known is not None
    with db.transaction() as conn:
        assert with_vectors(conn).adapters.types.get("halfvec") is known
