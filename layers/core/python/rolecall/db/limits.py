"""How long the statements of a transaction may take."""

from typing import Any

from psycopg import Connection, sql


def set_time_limit(conn: Connection[Any], milliseconds: int | None) -> None:
    """Limit each statement until the transaction ends (a rolled back savepoint takes it back); None: the role's own."""
    limit = sql.SQL("DEFAULT") if milliseconds is None else sql.Literal(milliseconds)
    conn.execute(sql.SQL("SET LOCAL statement_timeout TO {}").format(limit))
