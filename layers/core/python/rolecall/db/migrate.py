"""Numbered SQL migrations: applied once each, in order, by the schema's owner."""

import hashlib
import re
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from typing import Final, LiteralString

import psycopg
from psycopg.rows import class_row

from rolecall.db.connect import connect
from rolecall.errors import RolecallError
from rolecall.telemetry import log

_FILE_NAME: Final = re.compile(r"(\d{4})_[a-z0-9_]+\.sql")
_LOCK: Final = 0x726F6C65  # "role"

_MAKE_TABLE: Final[LiteralString] = """
    CREATE TABLE IF NOT EXISTS schema_migration (
        number integer PRIMARY KEY,
        name text NOT NULL,
        sha256 text NOT NULL,
        applied_at timestamptz NOT NULL DEFAULT now()
    )
"""
_TABLE_EXISTS: Final[LiteralString] = "SELECT to_regclass('public.schema_migration') IS NOT NULL"
_APPLIED: Final[LiteralString] = "SELECT number, name, sha256 FROM schema_migration ORDER BY number"
_RECORD: Final[LiteralString] = """
    INSERT INTO schema_migration (number, name, sha256) VALUES (%(number)s, %(name)s, %(sha256)s)
"""


class MigrationError(RolecallError):
    """The database and the code's migrations do not fit; nothing was applied."""


@dataclass(frozen=True, slots=True)
class Applied:
    """One row of schema_migration."""

    number: int
    name: str
    sha256: str


@dataclass(frozen=True, slots=True)
class Migration:
    """One file: its number, its name and its text."""

    number: int
    name: str
    text: str

    @property
    def sha256(self) -> str:
        """Digest of the text, as recorded when it is applied."""
        return hashlib.sha256(self.text.encode()).hexdigest()


def migrations(folder: Traversable | None = None) -> list[Migration]:
    """Read all migration files in order; from the package unless a folder is given.

    Raises:
        MigrationError: a name has not the form 0001_words.sql, or a number is missing or used twice.
    """
    folder = folder or files("rolecall.db") / "migrations"
    found = []
    for file in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if not file.name.endswith(".sql"):
            continue
        match = _FILE_NAME.fullmatch(file.name)
        if match is None:
            raise MigrationError(f"{file.name} is no migration's name.", hint="Name it like 0007_add_x.sql.")
        found.append(Migration(int(match[1]), file.name, file.read_text(encoding="utf-8")))
    numbers = [migration.number for migration in found]
    if numbers != list(range(1, len(found) + 1)):
        raise MigrationError(
            f"Migrations are numbered {numbers}.", hint="Number them from 0001 without gaps or repeats."
        )
    return found


def migrate(url: str, *, wait_seconds: float = 60.0, folder: Traversable | None = None) -> list[str]:
    """Apply what is pending, one transaction each; concurrent callers wait for one another.

    Args:
        url: Connection string of rolecall_owner.
        wait_seconds: How long to wait for a database that starts or wakes.
        folder: Where the files are; the package's own unless given.

    Returns:
        Names of the files that were applied now.

    Raises:
        MigrationError: an applied file was changed or is gone, or the database is newer than the code.
    """
    known = migrations(folder)
    with connect(url, wait_seconds=wait_seconds) as conn:
        conn.execute("SELECT pg_advisory_lock(%(key)s)", {"key": _LOCK})
        conn.execute(_MAKE_TABLE)
        todo = _pending(conn, known)
        for migration in todo:
            _apply(conn, migration)
    return [migration.name for migration in todo]


def pending(url: str, *, wait_seconds: float = 60.0, folder: Traversable | None = None) -> list[str]:
    """Name the files that `migrate` would apply; changes nothing."""
    known = migrations(folder)
    with connect(url, wait_seconds=wait_seconds) as conn:
        exists = conn.execute(_TABLE_EXISTS).fetchone()
        todo = _pending(conn, known) if exists and exists[0] else known
    return [migration.name for migration in todo]


def _pending(conn: psycopg.Connection, known: list[Migration]) -> list[Migration]:
    with conn.cursor(row_factory=class_row(Applied)) as cursor:
        applied = cursor.execute(_APPLIED).fetchall()
    if len(applied) > len(known):
        raise MigrationError(
            f"The database is newer than this code: it has {applied[-1].name}, the code ends at"
            f" {known[-1].name if known else 'nothing'}.",
            hint="Deploy the newer code, or restore a database of this version.",
        )
    for row, migration in zip(applied, known, strict=False):
        if row.number != migration.number:
            raise MigrationError(
                f"The database misses a migration before {row.name}.",
                hint="Restore the database: its list of applied migrations has a gap.",
            )
        if row.sha256 != migration.sha256:
            raise MigrationError(
                f"{migration.name} was changed after it was applied (as {row.name}).",
                hint="Restore the file as it was, and put the change in a new migration.",
            )
    return known[len(applied) :]


def _apply(conn: psycopg.Connection, migration: Migration) -> None:
    with conn.transaction():
        conn.execute(migration.text)
        conn.execute(_RECORD, {"number": migration.number, "name": migration.name, "sha256": migration.sha256})
    log.info("migration applied", extra={"migration": migration.name})
