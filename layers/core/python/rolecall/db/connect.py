"""How a connection is opened: settings that bound every wait, and patience with a database that wakes."""

import time
from collections.abc import Callable
from typing import Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from rolecall.db.iam import token, uses_tokens
from rolecall.errors import ErrorCode, RolecallError

CONNECT_SECONDS: Final = 5
_LIBPQ: Final = {
    # Silence is noticed within seconds: while we wait for an answer, and while a sent packet is unacknowledged.
    "keepalives": "1",
    "keepalives_idle": "10",
    "keepalives_interval": "3",
    "keepalives_count": "3",
    "tcp_user_timeout": "8000",
    # After a failover the old writer may still answer.
    "target_session_attrs": "read-write",
    "application_name": "rolecall",
}
# libpq reports a refused start-up by text alone. These will not heal by waiting.
_REFUSED: Final = ("password authentication failed", "does not exist", "no pg_hba.conf entry", "not permitted")

Url = str | Callable[[], str]


class DatabaseUnavailable(RolecallError):
    """No connection, or it was lost; nothing of the unit of work is stored, so it may be repeated."""

    code = ErrorCode.CHAT_ERROR


class CommitUnknown(RolecallError):
    """The connection was lost while the commit was under way; only the caller can find out what holds."""

    code = ErrorCode.CHAT_ERROR


def connect(url: Url, *, wait_seconds: float = 25.0, prepare_threshold: int | None = 5) -> psycopg.Connection:
    """Open an autocommit connection, retrying while the database starts, wakes or fails over.

    Args:
        url: Connection string, or what makes one: a short-lived IAM token is then fetched for each try.
        wait_seconds: The whole budget; a paused Aurora takes up to 20 s.
        prepare_threshold: None where a pooler shares server connections between transactions.

    Raises:
        DatabaseUnavailable: the budget is used up, or the server refuses us for good.
    """
    deadline = time.monotonic() + wait_seconds
    pause = 0.05
    while True:
        try:
            return psycopg.connect(_conninfo(url), autocommit=True, prepare_threshold=prepare_threshold)
        except psycopg.OperationalError as error:
            left = deadline - time.monotonic()
            if left <= 0 or any(text in str(error) for text in _REFUSED):
                raise DatabaseUnavailable("The database is not reachable right now.") from error
            time.sleep(min(pause, left))
            pause = min(pause * 2, 1.0)


def _conninfo(url: Url) -> str:
    text = url() if callable(url) else url
    try:
        given = conninfo_to_dict(text)
    except psycopg.ProgrammingError:
        # The reason would quote the string, password included.
        raise ValueError("the database URL cannot be parsed") from None
    if given.get("options"):
        raise ValueError("the database URL has start-up options, which poolers refuse; set them at the role")
    if uses_tokens(given):
        given["password"] = token(given)
    return make_conninfo(text, **{"connect_timeout": str(CONNECT_SECONDS), **_LIBPQ, **given})
