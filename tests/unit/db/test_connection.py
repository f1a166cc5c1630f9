"""The one connection: it outlives what kills connections, and says truly what became of the work."""

import multiprocessing
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import Connection, errors
from psycopg.conninfo import make_conninfo

from local.postgres import EmbeddedPostgres
from rolecall.db import CommitUnknown, Database, DatabaseUnavailable
from rolecall.errors import ErrorCode, RolecallError
from rolecall.identity import Caller
from rolecall.ids import CompanyId, UserId
from tests.fakes import builders as build

RENAME = "UPDATE app_user SET title = %s"
CALLER = "SELECT current_setting('app.user_id', true), current_setting('app.company_id', true)"


@pytest.fixture
def ann(admin: Connection[Any]) -> Caller:
    return build.a_user(admin, title="before")


@pytest.fixture(scope="module")
def spare() -> Iterator[EmbeddedPostgres]:
    """A server that a test may stop."""
    with tempfile.TemporaryDirectory(prefix="rolecall-") as folder:
        server = EmbeddedPostgres(Path(folder), fsync=False)
        server.start()
        yield server
        server.stop()


def backend(db: Database) -> int:
    with db.transaction() as conn:
        return conn.info.backend_pid


def kill(admin: Connection[Any], pid: int) -> None:
    admin.execute("SELECT pg_terminate_backend(%s, 5000)", [pid])


def title_of(admin: Connection[Any], caller: Caller) -> str:
    row = admin.execute("SELECT title FROM app_user WHERE id = %s", [caller.user_id]).fetchone()
    assert row
    return str(row[0])


def test_a_unit_of_work_is_kept_at_its_end_and_undone_by_an_exception(
    db: Database, admin: Connection[Any], ann: Caller
) -> None:
    with db.transaction(ann) as conn:
        conn.execute(RENAME, ["kept"])
    with pytest.raises(ZeroDivisionError), db.transaction(ann) as conn:
        conn.execute(RENAME, [str(1 / 0)])
    assert title_of(admin, ann) == "kept"


def test_the_caller_is_set_for_one_unit_of_work_alone(db: Database) -> None:
    caller = Caller(UserId(uuid4()), CompanyId(uuid4()))
    with db.transaction(caller) as conn:
        assert conn.execute(CALLER).fetchone() == (str(caller.user_id), str(caller.company_id))
        pid = conn.info.backend_pid
    with db.transaction() as conn:
        assert conn.execute(CALLER).fetchone() == ("", "")
        assert conn.info.backend_pid == pid
    with db.transaction(caller.as_job_seeker()) as conn:
        assert conn.execute(CALLER).fetchone() == (str(caller.user_id), "")


def test_a_read_only_unit_of_work_cannot_write(db: Database, ann: Caller) -> None:
    with pytest.raises(errors.ReadOnlySqlTransaction), db.transaction(ann, read_only=True) as conn:
        conn.execute(RENAME, ["x"])


def test_a_connection_killed_between_units_of_work_is_replaced_unnoticed(
    db: Database, admin: Connection[Any], ann: Caller
) -> None:
    first = backend(db)
    kill(admin, first)
    with db.transaction(ann) as conn:
        conn.execute(RENAME, ["after"])
        assert conn.info.backend_pid != first
    assert title_of(admin, ann) == "after"


def test_a_connection_that_the_server_closed_as_idle_is_replaced_unnoticed(db: Database) -> None:
    with db.transaction() as conn:
        conn.execute("SET idle_session_timeout = '20ms'")
        first = conn.info.backend_pid
    time.sleep(0.1)
    assert backend(db) != first


def test_a_connection_killed_inside_a_unit_of_work_says_that_nothing_is_saved(
    db: Database, admin: Connection[Any], ann: Caller
) -> None:
    with pytest.raises(DatabaseUnavailable, match="nothing of this step was saved"), db.transaction(ann) as conn:  # noqa: PT012 - the unit of work
        conn.execute(RENAME, ["lost"])
        kill(admin, conn.info.backend_pid)
        conn.execute("SELECT 1")
    assert title_of(admin, ann) == "before"
    assert backend(db)


def test_a_connection_killed_before_the_commit_was_sent_says_that_nothing_is_saved(
    db: Database, admin: Connection[Any], ann: Caller
) -> None:
    with pytest.raises(DatabaseUnavailable, match="nothing of this step was saved"), db.transaction(ann) as conn:  # noqa: PT012 - the unit of work
        conn.execute(RENAME, ["lost"])
        kill(admin, conn.info.backend_pid)
    assert title_of(admin, ann) == "before"


@pytest.fixture
def slow_commit(admin: Connection[Any]) -> Iterator[None]:
    admin.execute(
        "CREATE FUNCTION dawdle() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(20); RETURN NULL; END';"
        "CREATE CONSTRAINT TRIGGER dawdle AFTER UPDATE ON app_user DEFERRABLE INITIALLY DEFERRED"
        " FOR EACH ROW EXECUTE FUNCTION dawdle()"
    )
    yield
    admin.execute("DROP FUNCTION dawdle CASCADE")


@pytest.mark.usefixtures("slow_commit")
def test_a_connection_lost_during_the_commit_is_neither_repeated_nor_called_saved(
    db: Database, admin: Connection[Any], ann: Caller
) -> None:
    def kill_when_committing(pid: int) -> None:
        asleep = "SELECT 1 FROM pg_stat_activity WHERE pid = %s AND query = 'COMMIT' AND wait_event = 'PgSleep'"
        while not admin.execute(asleep, [pid]).fetchone():
            time.sleep(0.01)
        kill(admin, pid)

    with ThreadPoolExecutor(1) as pool, pytest.raises(CommitUnknown) as raised, db.transaction(ann) as conn:  # noqa: PT012 - the unit of work
        conn.execute(RENAME, ["perhaps"])
        pool.submit(kill_when_committing, conn.info.backend_pid)
    assert "before you repeat it" in raised.value.recovery_hint
    assert backend(db)


def test_a_commit_that_the_server_refuses_is_its_own_error_and_costs_no_connection(
    db: Database, admin: Connection[Any], ann: Caller
) -> None:
    admin.execute("ALTER TABLE app_user ADD CONSTRAINT late UNIQUE (title) DEFERRABLE INITIALLY DEFERRED")
    try:
        build.a_user(admin, title="taken")
        first = backend(db)
        with pytest.raises(errors.UniqueViolation), db.transaction(ann) as conn:
            conn.execute(RENAME, ["taken"])
        assert backend(db) == first
    finally:
        admin.execute("ALTER TABLE app_user DROP CONSTRAINT late")


def test_an_error_of_the_database_cannot_be_swallowed_inside_a_unit_of_work(db: Database, ann: Caller) -> None:
    def work() -> None:
        with db.transaction(ann) as conn, suppress(errors.DivisionByZero):
            conn.execute("SELECT 1/0")

    with pytest.raises(RolecallError, match="nothing was saved"):
        work()


def test_units_of_work_that_overlap_do_not_share_a_connection(db: Database) -> None:
    with db.transaction() as outer, db.transaction() as inner:
        assert outer.info.backend_pid != inner.info.backend_pid
    with ThreadPoolExecutor(4) as pool:
        barrier = threading.Barrier(4)

        def work(_: int) -> int:
            with db.transaction() as conn:
                barrier.wait(5)
                return conn.info.backend_pid

        assert len(set(pool.map(work, range(4)))) == 4


def _pid_in_child() -> int:
    return backend(_FORKED)


_FORKED: Database


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
def test_a_forked_child_opens_its_own_connection_and_leaves_the_parents_alone(db: Database) -> None:
    global _FORKED
    _FORKED = db
    parents = backend(db)
    with ProcessPoolExecutor(1, mp_context=multiprocessing.get_context("fork")) as pool:
        assert pool.submit(_pid_in_child).result() != parents
    assert backend(db) == parents


def test_with_a_pooler_no_statement_is_prepared(db: Database, postgres: EmbeddedPostgres) -> None:
    prepared = {}
    for threshold in (None, 5):
        pooled = Database(postgres.url("app"), prepare_threshold=threshold)
        with pooled.transaction() as conn:
            for number in range(20):
                conn.execute("SELECT %s::int", [number])
            prepared[threshold] = conn.execute("SELECT count(*) FROM pg_prepared_statements").fetchone()
        pooled.close()
    assert prepared == {None: (0,), 5: (1,)}


def test_every_wait_is_bounded_and_nothing_is_set_at_start_up(db: Database) -> None:
    with db.transaction() as conn:
        opened = conn.info.get_parameters()
        setting = conn.execute(
            "SELECT setting FROM pg_settings WHERE source = 'client' AND name NOT IN"
            " ('application_name', 'client_encoding', 'DateStyle', 'TimeZone')"
        ).fetchall()
    assert {"connect_timeout", "keepalives_idle", "tcp_user_timeout"} <= set(opened)
    assert "options" not in opened
    assert setting == []


def test_start_up_options_are_refused_since_poolers_refuse_them(postgres: EmbeddedPostgres) -> None:
    url = make_conninfo(postgres.url("app"), options="-c statement_timeout=5000")
    with pytest.raises(ValueError, match="set them at the role"), Database(url).transaction():
        pass


def test_each_connection_asks_for_a_fresh_address(postgres: EmbeddedPostgres, admin: Connection[Any]) -> None:
    asked: list[str] = []

    def with_a_new_token() -> str:
        asked.append(postgres.url("app"))
        return asked[-1]

    db = Database(with_a_new_token)
    kill(admin, backend(db))
    assert backend(db)
    assert len(asked) == 2
    db.close()


def test_a_database_that_is_away_gives_a_clear_error_within_the_budget(tmp_path: Path) -> None:
    db = Database(f"postgresql://app:hunter2@{str(tmp_path).replace('/', '%2F')}/rolecall", wait_seconds=0.3)
    started = time.monotonic()
    with pytest.raises(DatabaseUnavailable) as raised, db.transaction():
        pass
    assert 0.3 <= time.monotonic() - started < 10
    assert raised.value.code == ErrorCode.CHAT_ERROR
    assert raised.value.message == "The database is not reachable right now."
    assert "hunter2" not in f"{raised.value!r} {raised.value.__cause__!r}"


def test_a_refused_password_is_not_tried_again(postgres: EmbeddedPostgres) -> None:
    started = time.monotonic()
    with (
        pytest.raises(DatabaseUnavailable) as raised,
        Database(make_conninfo(postgres.url("app"), password="hunter2"), wait_seconds=30).transaction(),
    ):
        pass
    assert time.monotonic() - started < 5
    assert "hunter2" not in f"{raised.value!r} {raised.value.__cause__!r}"


def test_a_malformed_address_is_not_quoted() -> None:
    with pytest.raises(ValueError) as raised, Database("postgresql://app:hunter2@[/x").transaction():
        pass
    assert "hunter2" not in str(raised.value)
    assert raised.value.__cause__ is None


def test_a_restarted_server_is_found_again_under_a_warm_connection(spare: EmbeddedPostgres) -> None:
    db = Database(spare.url("app"))
    first = backend(db)
    spare.stop()
    spare.start()
    assert backend(db) != first
    db.close()


def test_a_server_that_wakes_is_waited_for(spare: EmbeddedPostgres) -> None:
    db = Database(spare.url("app"), wait_seconds=20)
    assert backend(db)
    spare.stop()
    waking = threading.Timer(0.5, spare.start)
    waking.start()
    assert backend(db)
    waking.join()
    db.close()


def test_no_connection_is_left_open_by_a_handle_that_is_gone(
    postgres: EmbeddedPostgres, admin: Connection[Any]
) -> None:
    db = Database(postgres.url("app"))
    pid = backend(db)
    del db
    deadline = time.monotonic() + 5
    while admin.execute("SELECT 1 FROM pg_stat_activity WHERE pid = %s", [pid]).fetchone():
        assert time.monotonic() < deadline
        time.sleep(0.01)


def test_the_roles_timeouts_hold_without_a_session_setting(postgres: EmbeddedPostgres) -> None:
    with psycopg.connect(postgres.url("app")) as conn:
        found = conn.execute(
            "SELECT current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout'),"
            " current_setting('idle_session_timeout'), current_setting('timezone')"
        ).fetchone()
    assert found == ("30s", "1min", "1min", "UTC")
