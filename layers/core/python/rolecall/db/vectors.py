"""Vectors as parameters and results. Apart from the connection, for most units of work never see one."""

from collections.abc import Sequence
from typing import Any

from pgvector import HalfVector
from pgvector.psycopg import register_vector
from psycopg import Connection


def with_vectors(conn: Connection[Any]) -> Connection[Any]:
    """Teach a connection the vector types, once in its life: it costs a look into the catalogue."""
    if conn.adapters.types.get("halfvec") is None:
        register_vector(conn)
    return conn


def halfvec(values: Sequence[float]) -> HalfVector:
    """Make a parameter for a halfvec column; the connection must know vectors."""
    return HalfVector(list(values))
