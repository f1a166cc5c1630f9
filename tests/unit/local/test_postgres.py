"""The embedded server: it outlives kills, strange folders and stale files."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import psutil
import psycopg
import pytest

from local.postgres import EmbeddedPostgres
from local.secrets import load_secrets
from rolecall.errors import RolecallError

START = """
import os, sys
from pathlib import Path
from local.postgres import EmbeddedPostgres
EmbeddedPostgres(Path(sys.argv[1]), fsync=False).start()
os.kill(os.getpid(), 9)
"""


@pytest.fixture
def folder() -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="rolecall-") as path:
        yield Path(path)


@pytest.fixture(scope="module")
def home() -> Iterator[Path]:
    """The folder of the one server that most tests stop, break and start again."""
    with tempfile.TemporaryDirectory(prefix="rolecall-") as path:
        yield Path(path)
        EmbeddedPostgres(Path(path)).stop()


@pytest.fixture
def server(home: Path) -> EmbeddedPostgres:
    server = EmbeddedPostgres(home, fsync=False)
    server.start()
    return server


def query(url: str, statement: str) -> object:
    with psycopg.connect(url) as conn:
        row = conn.execute(statement).fetchone()
    assert row
    return row[0]


def postmaster(folder: Path) -> int:
    return int((folder / "postgres" / "postmaster.pid").read_text().split()[0])


def remember(server: EmbeddedPostgres) -> None:
    with psycopg.connect(server.superuser_url) as conn:
        conn.execute("DROP TABLE IF EXISTS kept; CREATE TABLE kept AS SELECT 42 AS answer")


def test_what_was_stored_is_there_after_a_restart_and_the_passwords_are_the_same(
    server: EmbeddedPostgres, home: Path
) -> None:
    remember(server)
    url = server.url("app")
    server.stop()
    again = EmbeddedPostgres(home, fsync=False)
    again.start()
    assert query(again.superuser_url, "SELECT answer FROM kept") == 42
    assert again.url("app") == url


def test_a_server_whose_parent_was_killed_is_adopted(folder: Path) -> None:
    died = subprocess.run([sys.executable, "-c", START, str(folder)], check=False, capture_output=True)
    assert died.returncode == -9
    left = postmaster(folder)
    server = EmbeddedPostgres(folder, fsync=False)
    try:
        server.start()
        assert postmaster(folder) == left
        assert query(server.url("app"), "SELECT 1") == 1
    finally:
        server.stop()
    assert server._process() is None


def test_a_killed_server_is_started_again_and_recovers(server: EmbeddedPostgres, home: Path) -> None:
    remember(server)
    psutil.Process(postmaster(home)).kill()
    server.start()
    assert query(server.superuser_url, "SELECT answer FROM kept") == 42


def test_a_pid_file_that_names_a_strangers_process_is_not_believed(server: EmbeddedPostgres, home: Path) -> None:
    pid_file = home / "postgres" / "postmaster.pid"
    text = pid_file.read_text()
    server.stop()
    pid_file.write_text(text.replace(text.split()[0], str(os.getpid()), 1))
    server.start()
    assert postmaster(home) != os.getpid()
    assert query(server.url("app"), "SELECT 1") == 1


def test_a_half_made_cluster_is_made_again(folder: Path) -> None:
    (folder / "postgres.new" / "base").mkdir(parents=True)
    server = EmbeddedPostgres(folder, fsync=False)
    server.start()
    server.stop()
    assert not (folder / "postgres.new").exists()


def test_a_folder_deeper_than_a_socket_path_works_and_so_do_blanks_and_quotes(folder: Path) -> None:
    deep = folder / "it's a %20 deep folder" / ("d" * 60) / ("e" * 60)
    server = EmbeddedPostgres(deep, fsync=False)
    server.start()
    try:
        assert query(server.url("app"), "SELECT current_user::text") == "rolecall_app"
        # Another handle finds the same place.
        assert EmbeddedPostgres(deep).url("app") == server.url("app")
    finally:
        server.stop()


def test_a_stranger_needs_a_password_and_the_superusers_url_is_no_exception(server: EmbeddedPostgres) -> None:
    url = server.superuser_url.replace(load_secrets(server._data_dir).db_passwords["postgres"], "wrong")
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        psycopg.connect(url)


def test_lost_secrets_are_named_as_the_reason(server: EmbeddedPostgres, home: Path) -> None:
    kept = (home / "secrets.json").read_text()
    (home / "secrets.json").unlink()
    with pytest.raises(RolecallError, match=r"secrets\.json does not belong"):
        server.start()
    (home / "secrets.json").write_text(kept)
    server.start()


def test_without_a_server_there_is_no_url_but_advice(folder: Path) -> None:
    with pytest.raises(RolecallError) as raised:
        EmbeddedPostgres(folder).url("app")
    assert "rolecall up" in raised.value.recovery_hint


def test_a_broken_cluster_is_reported_in_the_servers_own_words(server: EmbeddedPostgres, home: Path) -> None:
    server.stop()
    shutil.move(home / "postgres" / "global", home / "global")
    with pytest.raises(RolecallError, match="pg_ctl failed"):
        server.start()
    shutil.move(home / "global", home / "postgres" / "global")


def test_secrets_are_made_once_and_readable_by_their_owner_alone(folder: Path) -> None:
    made = load_secrets(folder)
    assert load_secrets(folder) == made
    assert (folder / "secrets.json").stat().st_mode & 0o777 == 0o600
    assert len(set(made.db_passwords.values()) | {made.token_secret}) == len(made.db_passwords) + 1
    assert made.token_secret not in repr(made)
    assert [file.name for file in folder.iterdir()] == ["secrets.json"]


@pytest.mark.parametrize("text", ["", "[]", json.dumps({"token_secret": "x"})])
def test_damaged_secrets_are_an_error_and_are_not_replaced(folder: Path, text: str) -> None:
    (folder / "secrets.json").write_text(text)
    with pytest.raises(RolecallError, match="damaged"):
        load_secrets(folder)
    assert (folder / "secrets.json").read_text() == text
