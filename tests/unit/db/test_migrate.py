"""Migrations: once each, in order, and never over a database that does not fit."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from psycopg.conninfo import make_conninfo

from local.postgres import EmbeddedPostgres
from rolecall.db.bootstrap import bootstrap
from rolecall.db.migrate import MigrationError, migrate, migrations, pending

MAKE = "CREATE TABLE {} (id integer)"


@pytest.fixture
def url(postgres: EmbeddedPostgres, admin_url: str) -> Iterator[str]:
    """The owner, in a database that was only bootstrapped."""
    with psycopg.connect(postgres.superuser_url, autocommit=True) as conn:
        conn.execute("DROP DATABASE IF EXISTS empty WITH (FORCE)")
    bootstrap(postgres.superuser_url, {}, database="empty")
    yield make_conninfo(postgres.url("owner"), dbname="empty")
    with psycopg.connect(postgres.superuser_url, autocommit=True) as conn:
        conn.execute("DROP DATABASE empty WITH (FORCE)")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    add(tmp_path, "0001_first.sql", MAKE.format("a"))
    add(tmp_path, "0002_second.sql", MAKE.format("b") + "; INSERT INTO b SELECT 100 % 7")
    return tmp_path


def add(folder: Path, name: str, text: str) -> None:
    (folder / name).write_text(text)


def tables(url: str) -> set[str]:
    with psycopg.connect(url) as conn:
        rows = conn.execute(
            "SELECT relname FROM pg_class WHERE relkind = 'r' AND relnamespace = 'public'::regnamespace"
        )
        return {name for (name,) in rows}


def test_the_products_own_migrations_run_from_empty_and_then_rest(url: str) -> None:
    names = [migration.name for migration in migrations()]
    assert pending(url) == names
    assert migrate(url) == names
    assert migrate(url) == []
    assert pending(url) == []
    assert "agent_message" in tables(url)


def test_only_what_is_new_is_applied(url: str, folder: Path) -> None:
    assert migrate(url, folder=folder) == ["0001_first.sql", "0002_second.sql"]
    add(folder, "0003_third.sql", MAKE.format("c"))
    assert pending(url, folder=folder) == ["0003_third.sql"]
    assert "c" not in tables(url)
    assert migrate(url, folder=folder) == ["0003_third.sql"]


def test_looking_what_is_pending_changes_nothing(url: str, folder: Path) -> None:
    assert pending(url, folder=folder) == ["0001_first.sql", "0002_second.sql"]
    assert tables(url) == set()


def test_a_migration_that_fails_leaves_nothing_of_itself_and_all_before_it(url: str, folder: Path) -> None:
    add(folder, "0003_third.sql", MAKE.format("c") + "; SELECT 1/0")
    with pytest.raises(psycopg.errors.DivisionByZero):
        migrate(url, folder=folder)
    assert tables(url) == {"schema_migration", "a", "b"}
    assert pending(url, folder=folder) == ["0003_third.sql"]


def test_a_changed_file_is_named_and_nothing_is_applied(url: str, folder: Path) -> None:
    migrate(url, folder=folder)
    add(folder, "0001_first.sql", MAKE.format("a") + " -- tidied")
    add(folder, "0003_third.sql", MAKE.format("c"))
    with pytest.raises(MigrationError, match=r"0001_first\.sql was changed after it was applied") as raised:
        migrate(url, folder=folder)
    assert "new migration" in raised.value.recovery_hint
    assert "c" not in tables(url)


def test_a_database_newer_than_the_code_is_left_alone(url: str, folder: Path) -> None:
    migrate(url, folder=folder)
    (folder / "0002_second.sql").unlink()
    with pytest.raises(MigrationError, match=r"newer than this code: it has 0002_second\.sql"):
        migrate(url, folder=folder)


def test_a_gap_in_what_was_applied_is_found(url: str, folder: Path) -> None:
    migrate(url, folder=folder)
    with psycopg.connect(url) as conn:
        conn.execute("DELETE FROM schema_migration WHERE number = 1")
    with pytest.raises(MigrationError, match="misses a migration before"):
        migrate(url, folder=folder)


@pytest.mark.parametrize(
    ("name", "reason"),
    [("0004_gap.sql", "numbered"), ("0002_again.sql", "numbered"), ("3_short.sql", "no migration's name")],
)
def test_a_file_out_of_line_is_refused_before_anything_is_opened(folder: Path, name: str, reason: str) -> None:
    add(folder, name, "SELECT 1")
    with pytest.raises(MigrationError, match=reason):
        migrate("postgresql://nowhere.invalid/x", folder=folder)


def test_of_two_that_migrate_at_once_one_waits_and_finds_nothing_to_do(url: str, folder: Path) -> None:
    add(folder, "0003_third.sql", "SELECT pg_sleep(0.3)")
    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(lambda _: migrate(url, folder=folder), range(2)))
    assert sorted(map(len, done)) == [0, 3]


def test_every_foreign_key_that_a_deletion_follows_has_an_index(admin: Connection[Any]) -> None:
    rows = admin.execute("""
        SELECT c.conrelid::regclass::text, c.conname FROM pg_constraint AS c
        WHERE c.contype = 'f' AND c.confdeltype = 'c' AND NOT EXISTS (
            SELECT FROM pg_index AS i
            WHERE i.indrelid = c.conrelid AND i.indpred IS NULL AND i.indkey[0] = ANY (c.conkey)
        )
    """).fetchall()
    assert rows == []
