"""The process's one connection to Postgres, and transactions that carry their caller."""

import os
import select
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final
from uuid import UUID

import psycopg
from psycopg import sql
from psycopg.pq import TransactionStatus

from rolecall.db.connect import CommitUnknown, DatabaseUnavailable, Url, connect
from rolecall.errors import RolecallError
from rolecall.identity import Caller
from rolecall.telemetry import log

_SET_CALLER: Final = sql.SQL("{}; SELECT set_config('app.user_id', {}, true), set_config('app.company_id', {}, true)")
_SET_VISITOR: Final = sql.SQL("{}; SELECT set_config('app.visitor', 'on', true)")
"""Somebody without an account is nobody, who may see what is public."""


class Database:
    """One cached connection a process, opened at first use and tested by the use itself.

    The transaction's first round trip (BEGIN and the caller) doubles as the test: where it fails, nothing of
    the unit of work was sent, and a new connection takes its place. A unit of work that starts while another
    one runs (a thread, or nested) gets a connection of its own. A forked child starts with none.
    """

    def __init__(self, url: Url, *, wait_seconds: float = 25.0, prepare_threshold: int | None = 5) -> None:
        self._url = url
        self._wait_seconds = wait_seconds
        self._prepare_threshold = prepare_threshold
        self._slot = _Slot()
        weakref.finalize(self, self._slot.close)

    @contextmanager
    def transaction(self, caller: Caller | None = None, *, read_only: bool = False) -> Iterator[psycopg.Connection]:
        """Run one unit of work: commits at the end, rolls back when the block raises.

        Args:
            caller: For whom row-level security decides; none: policies see nobody.
            read_only: Let Postgres refuse writes.

        Raises:
            DatabaseUnavailable: not reachable within the budget, or lost before the commit; may be repeated.
            CommitUnknown: lost during the commit; must not be repeated blindly.
        """
        conn = self._begin(_opening(caller, read_only=read_only))
        try:
            yield conn
        except BaseException as error:
            self._roll_back(conn)
            if isinstance(error, psycopg.OperationalError) and conn.closed:
                raise DatabaseUnavailable(
                    "The database connection was lost; nothing of this step was saved."
                ) from error
            raise
        self._commit(conn, read_only=read_only)

    def close(self) -> None:
        """Close the cached connection; the next transaction opens a new one."""
        self._slot.close()

    def _begin(self, opening: sql.SQL | sql.Composed) -> psycopg.Connection:
        cached = self._slot.take()
        if cached is not None:
            try:
                cached.execute(opening)
            except psycopg.OperationalError as error:
                cached.close()
                log.info("database connection replaced", extra={"reason": type(error).__name__})
            else:
                return cached
        deadline = time.monotonic() + self._wait_seconds
        while True:
            fresh = connect(
                self._url,
                wait_seconds=max(deadline - time.monotonic(), 0),
                prepare_threshold=self._prepare_threshold,
            )
            try:
                fresh.execute(opening)
            except psycopg.OperationalError as error:
                fresh.close()
                if time.monotonic() > deadline:
                    raise DatabaseUnavailable("The database is not reachable right now.") from error
            else:
                return fresh

    def _commit(self, conn: psycopg.Connection, *, read_only: bool) -> None:
        if conn.info.transaction_status == TransactionStatus.INERROR:
            # COMMIT would quietly roll back; the block swallowed an error of the database.
            self._roll_back(conn)
            raise RolecallError("A database error was ignored inside a transaction; nothing was saved.")
        if _hung_up(conn):
            conn.close()
            raise DatabaseUnavailable("The database connection was lost; nothing of this step was saved.")
        try:
            conn.execute("COMMIT")
        except psycopg.Error as error:
            if not conn.closed:  # the server itself refused, as a deferred constraint does
                self._roll_back(conn)
                raise
            if read_only:
                return
            raise CommitUnknown(
                "The database connection was lost while saving; the change may or may not be stored.",
                hint="Look whether the change is there before you repeat it.",
            ) from error
        self._slot.give_back(conn)

    def _roll_back(self, conn: psycopg.Connection) -> None:
        try:
            if not conn.closed:
                conn.execute("ROLLBACK")
        except psycopg.Error as error:
            log.info("rollback failed", extra={"reason": type(error).__name__})
            conn.close()
            return
        self._slot.give_back(conn)


class _Slot:
    """Where the idle connection waits; one taker at a time."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._conn: psycopg.Connection | None = None
        _SLOTS.add(self)

    def take(self) -> psycopg.Connection | None:
        with self._lock:
            conn, self._conn = self._conn, None
        return conn

    def give_back(self, conn: psycopg.Connection) -> None:
        """Keep a healthy connection if there is none; close it otherwise."""
        healthy = not conn.closed and conn.info.transaction_status == TransactionStatus.IDLE
        with self._lock:
            if healthy and self._conn is None:
                self._conn = conn
                return
        conn.close()

    def close(self) -> None:
        conn = self.take()
        if conn is not None:
            conn.close()

    def forget(self) -> None:
        """In a forked child: leave the parent's connection alone. It is kept, so that nothing closes it."""
        self._lock = threading.Lock()
        if self._conn is not None:
            _PARENTS.append(self._conn)
            self._conn = None


_SLOTS: Final[weakref.WeakSet[_Slot]] = weakref.WeakSet()
_PARENTS: Final[list[psycopg.Connection]] = []


def _forget_all() -> None:
    for slot in list(_SLOTS):
        slot.forget()


os.register_at_fork(after_in_child=_forget_all)


def _opening(caller: Caller | None, *, read_only: bool) -> sql.SQL | sql.Composed:
    begin = sql.SQL("BEGIN READ ONLY" if read_only else "BEGIN")
    if caller is None:
        return begin
    if caller.anonymous:
        return _SET_VISITOR.format(begin)
    # One simple query, so one round trip. UUID() proves that the literals are what they claim to be.
    company = str(UUID(str(caller.company_id))) if caller.company_id else ""
    return _SET_CALLER.format(begin, sql.Literal(str(UUID(str(caller.user_id)))), sql.Literal(company))


def _hung_up(conn: psycopg.Connection) -> bool:
    """Tell whether the server has gone already, without asking it: then no commit was ever sent."""
    socket = select.poll()
    socket.register(conn.fileno(), select.POLLIN)
    try:
        for _ in range(2):  # its last words first, then the end of the stream
            if not socket.poll(0):
                return False
            conn.pgconn.consume_input()
    except psycopg.OperationalError:
        return True
    return False
