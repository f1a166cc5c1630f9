"""Fixtures that many tests share: one embedded Postgres a session, emptied before each test that uses it."""

import tempfile
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from local.postgres import EmbeddedPostgres
from rolecall.db import Database
from rolecall.db.bootstrap import DATABASE
from rolecall.db.migrate import migrate


@pytest.fixture(scope="session")
def postgres() -> Iterator[EmbeddedPostgres]:
    """A migrated server. Without fsync: what it holds need not survive the machine."""
    with tempfile.TemporaryDirectory(prefix="rolecall-") as folder:
        server = EmbeddedPostgres(Path(folder), fsync=False)
        server.start()
        try:
            migrate(server.url("owner"))
            yield server
        finally:
            server.stop()


@pytest.fixture(scope="session")
def admin_url(postgres: EmbeddedPostgres) -> str:
    """The superuser, in the product's database: for arranging and looking, past every policy."""
    return make_conninfo(postgres.superuser_url, dbname=DATABASE)


@pytest.fixture(scope="session")
def _admin(admin_url: str) -> Iterator[psycopg.Connection]:
    with psycopg.connect(admin_url, autocommit=True) as conn:
        yield conn


@pytest.fixture
def admin(_admin: psycopg.Connection) -> psycopg.Connection:
    """A superuser's autocommit connection to an empty database."""
    # Cascades reach everything else; on tables this small that is far faster than TRUNCATE.
    _admin.execute("DELETE FROM company; DELETE FROM app_user; DELETE FROM agent_tool_definition")
    return _admin


@pytest.fixture
def db(admin: psycopg.Connection, postgres: EmbeddedPostgres) -> Iterator[Database]:
    """The application's database handle, on an empty database."""
    database = Database(postgres.url("app"), wait_seconds=5)
    yield database
    database.close()
