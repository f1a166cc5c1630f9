"""What the commands that talk to a running stack share: finding it, being somebody, failing in one sentence."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from websockets.exceptions import InvalidStatus, WebSocketException

from local.client import Client, RequestFailed
from local.data import DataFolder, StackNote
from local.demo import DEMO_JOB_SEEKER, DEMO_RECRUITER
from local.secrets import load_secrets
from local.tokens import a_visitor, token_for
from local.uploads import UploadFailed
from rolecall.identity import Caller

PERSONS = {"recruiter": DEMO_RECRUITER, "job-seeker": DEMO_JOB_SEEKER}
VISITOR = "visitor"
NOT_RUNNING = "Rolecall is not running here. Start it in another terminal with `make run` (or `rolecall up`)."

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)

PersonOption = Annotated[str, typer.Option("--as", help="Whom to be: recruiter, job-seeker or visitor.")]
DataOption = Annotated[Path, typer.Option("--data", envvar="ROLECALL_DATA", help="Folder of the running stack.")]


@contextmanager
def connected(data: Path, person: str) -> Iterator[Client]:
    """Connect as a person to the stack of a data folder; whatever goes wrong becomes one sentence and exit code 1."""
    note = _running(data)
    token = token_for(caller_of(person), load_secrets(data).token_secret)
    try:
        with Client(note.ws_url, token) as client:
            yield client
    except RequestFailed as error:
        fail(f"{error} {error.hint} ({error.code})")
    except UploadFailed as error:
        fail(str(error))
    except InvalidStatus as error:
        fail(f"The server refused the connection (HTTP {error.response.status_code}).")
    except TimeoutError as error:
        fail(f"{error or 'No answer came in time'}.")
    except (OSError, WebSocketException) as error:
        fail(f"The connection was lost ({type(error).__name__}). {NOT_RUNNING}")
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def caller_of(person: str) -> Caller:
    """Whom a name stands for; a visitor is somebody new each time."""
    if person == VISITOR:
        return a_visitor()
    if person not in PERSONS:
        fail(f"There is no person {person!r} here. Choose one of: {', '.join([*PERSONS, VISITOR])}.")
    return PERSONS[person]


def fail(message: str) -> NoReturn:
    """Say why it did not work, and leave."""
    err.print(escape(message))
    raise typer.Exit(1)


def _running(data: Path) -> StackNote:
    note = DataFolder(data).read_note()
    if note is None or not _alive(note.pid):
        fail(NOT_RUNNING)
    return note


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
