"""The command line: `rolecall up` and what talks to it."""

import logging
import os
import signal
import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from local.chat import chat
from local.deploy_check import deploy_check
from local.ingest import ingest
from local.paths import DEFAULT_DATA
from local.show_token import token
from local.smoke import smoke

if TYPE_CHECKING:
    from local.stack import Stack

app = typer.Typer(no_args_is_help=True, add_completion=False, pretty_exceptions_enable=False)

DataOption = Annotated[
    Path, typer.Option("--data", envvar="ROLECALL_DATA", help="Folder that keeps everything.", show_default=".rolecall")
]


@app.callback()
def rolecall() -> None:
    """AI agents for recruitment, on this machine."""


app.command()(chat)
app.command()(deploy_check)
app.command()(smoke)
app.command()(ingest)
app.command()(token)


@app.command()
def up(
    data: DataOption = DEFAULT_DATA,
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port to listen on; 0 takes any.")] = 8700,
    seed_delivery: Annotated[
        int | None,
        typer.Option(help="Delay, reorder and duplicate asynchronous invocations by this seed, as AWS may."),
    ] = None,
    model: Annotated[
        str | None, typer.Option(help="The model, as `ollama:qwen3` or `openai:gpt-5-mini`. [env: MODEL]")
    ] = None,
) -> None:
    """Start everything, and stop it on Ctrl-C."""
    from local.data import AlreadyRunning
    from local.faults import DeliveryRule
    from local.stack import Stack, StackError
    from rolecall.errors import RolecallError

    if model:
        os.environ["MODEL"] = model
    asked = _Stop()
    typer.echo("Starting …")
    try:
        _log_to(data)
        stack = Stack(data, port=port, rule=None if seed_delivery is None else DeliveryRule(seed_delivery))
        stack.start()
    except (AlreadyRunning, StackError) as exc:
        _fail(str(exc))
    except RolecallError as exc:
        _fail(f"{exc.message} {exc.recovery_hint}")
    except OSError as exc:
        _fail(f"{exc.filename or data} cannot be used: {exc.strerror}.")
    except KeyboardInterrupt:
        typer.echo("Stopped before it had started.")
        return
    try:
        asked.interrupts = False
        typer.echo(_greeting(stack))
        asked.wait()
    finally:
        stack.stop()
    typer.echo("Stopped.")


class _Stop:
    """Ctrl-C or SIGTERM. Breaks into the start; later it is only noted, since Python drops what a handler
    raises into a finaliser, and a lock that a handler wants may be its own thread's."""

    def __init__(self) -> None:
        self.interrupts = True
        self._asked = False
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._handle)

    def _handle(self, *_: object) -> None:
        self._asked = True
        if self.interrupts:
            self.interrupts = False
            raise KeyboardInterrupt

    def wait(self) -> None:
        """Wait until somebody asks."""
        while not self._asked:
            time.sleep(0.1)


def _greeting(stack: "Stack") -> str:
    from local.environment import OFFLINE_MODEL

    model = os.environ.get("MODEL") or OFFLINE_MODEL
    note = (
        "  the offline model: no account, no weights, no wit; set MODEL for another" if model == OFFLINE_MODEL else ""
    )
    return (
        "Rolecall runs on this machine.\n"
        f"  page     {stack.http_url}{'' if stack.page.built else '  (not built: run `make web`)'}\n"
        f"  socket   {stack.ws_url}\n"
        f"  model    {model}{note}\n"
        f"  data     {stack.data.path}\n"
        'Talk to it in another terminal: rolecall chat "Who am I?"\n'
        "Stop it with Ctrl-C."
    )


def _fail(message: str) -> None:
    typer.echo(message, err=True)
    raise typer.Exit(1)


def _log_to(data: Path) -> None:
    folder = data / "logs"
    folder.mkdir(parents=True, exist_ok=True)
    logging.basicConfig(
        filename=folder / "stack.log", level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s"
    )
