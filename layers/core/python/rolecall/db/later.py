"""Queries sent together and read afterwards, so that several cost one round trip."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, LiteralString, TypeVar

from psycopg import Connection, Cursor
from psycopg.rows import BaseRowFactory

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True, slots=True)
class Later(Generic[T]):
    """The result of a query that is on its way. Within `conn.pipeline()` the first `get` waits for all of them."""

    cursor: Cursor[Any]
    read: Callable[[Cursor[Any]], T]

    def get(self) -> T:
        """Wait for the result and read it."""
        return self.read(self.cursor)


def ask_one(
    conn: Connection[Any], rows: BaseRowFactory[R], statement: LiteralString, values: dict[str, Any]
) -> Later[R | None]:
    """Send a query for one row."""
    return Later(conn.cursor(row_factory=rows).execute(statement, values), lambda cursor: cursor.fetchone())


def ask_all(
    conn: Connection[Any], rows: BaseRowFactory[R], statement: LiteralString, values: dict[str, Any]
) -> Later[list[R]]:
    """Send a query for all its rows."""
    return Later(conn.cursor(row_factory=rows).execute(statement, values), lambda cursor: cursor.fetchall())
