"""The data folder: its lock, and the note by which the CLI finds the stack."""

import fcntl
import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import IO


class AlreadyRunning(Exception):
    """Another stack holds the data folder."""


@dataclass(frozen=True)
class StackNote:
    """What `stack.json` says."""

    ws_url: str
    http_url: str
    pid: int
    secrets_file: str
    """JSON file whose `token_secret` signs callers' tokens (HS256)."""


def write_private(path: Path, text: str) -> None:
    """Replace a file at once, readable by its owner only."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)


class DataFolder:
    """A folder that one stack at a time may use."""

    def __init__(self, path: Path) -> None:
        self.path = path.absolute()
        self._lock: IO[str] | None = None

    @property
    def note_path(self) -> Path:
        """Where a running stack says how to reach it."""
        return self.path / "stack.json"

    def lock(self) -> None:
        """Take the folder.

        Raises:
            AlreadyRunning: another process has it.
        """
        self.path.mkdir(parents=True, exist_ok=True, mode=0o700)
        file = (self.path / "lock").open("a+")
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as exc:
            file.close()
            note = self.read_note()
            where = f" at {note.http_url}, process {note.pid}" if note else ""
            raise AlreadyRunning(f"Rolecall already runs on {self.path}{where}.") from exc
        self._lock = file

    def unlock(self) -> None:
        """Let go of the folder."""
        if self._lock is not None:
            self._lock.close()
            self._lock = None

    def write_note(self, note: StackNote) -> None:
        """Say how to reach the stack."""
        write_private(self.note_path, json.dumps(asdict(note)))

    def read_note(self) -> StackNote | None:
        """Return how to reach the stack, if one says so. It may have died without a word."""
        try:
            return StackNote(**json.loads(self.note_path.read_text()))
        except (FileNotFoundError, ValueError, TypeError):
            return None

    def remove_note(self) -> None:
        """Forget how to reach the stack."""
        self.note_path.unlink(missing_ok=True)
