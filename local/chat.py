"""`rolecall chat`: one message from the terminal, its answer as it comes."""

import json
import os
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from websockets.exceptions import InvalidStatus, WebSocketException

from local.client import Client, Json, RequestFailed
from local.data import DataFolder, StackNote
from local.demo import DEMO_JOB_SEEKER, DEMO_RECRUITER
from local.paths import DEFAULT_DATA
from local.secrets import load_secrets
from local.tokens import token_for

PERSONS = {"recruiter": DEMO_RECRUITER, "job-seeker": DEMO_JOB_SEEKER}
NOT_RUNNING = "Rolecall is not running here. Start it in another terminal with `make run` (or `rolecall up`)."

out = Console(highlight=False, soft_wrap=True)
err = Console(stderr=True, highlight=False, soft_wrap=True)


def chat(
    message: Annotated[str, typer.Argument(help="What to say.")],
    conversation: Annotated[str | None, typer.Option(help="Go on with this conversation.")] = None,
    person: Annotated[str, typer.Option("--as", help="Whom to be: recruiter or job-seeker.")] = "recruiter",
    data: Annotated[
        Path, typer.Option("--data", envvar="ROLECALL_DATA", help="Folder of the running stack.")
    ] = DEFAULT_DATA,
) -> None:
    """Say something to your agent and watch the answer."""
    note = _running(data)
    if person not in PERSONS:
        _fail(f"There is no person {person!r} here. Choose one of: {', '.join(PERSONS)}.")
    token = token_for(PERSONS[person], load_secrets(data).token_secret)
    try:
        with Client(note.ws_url, token) as client:
            _converse(client, message, conversation)
    except RequestFailed as error:
        _fail(f"{error} {error.hint} ({error.code})")
    except InvalidStatus as error:
        _fail(f"The server refused the connection (HTTP {error.response.status_code}).")
    except (OSError, WebSocketException, TimeoutError) as error:
        _fail(f"The connection was lost ({type(error).__name__}). {NOT_RUNNING}")
    except KeyboardInterrupt:
        raise typer.Exit(130) from None


def _running(data: Path) -> StackNote:
    note = DataFolder(data).read_note()
    if note is None or not _alive(note.pid):
        _fail(NOT_RUNNING)
    return note


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True


def _converse(client: Client, message: str, conversation: str | None) -> None:
    if conversation is None:
        conversation = client.request("createConversation")["conversation"]["conversationId"]
    printer = Printer()
    for event in client.chat(conversation, message):
        printer.show(event)
    out.print(f"\n[dim]conversation {conversation}[/dim]")
    if printer.failed:
        raise typer.Exit(1)


class Printer:
    """Writes a turn's events to the terminal: reasoning dimmed, tools named, the answer plain."""

    def __init__(self) -> None:
        self.failed = False
        self._open: str | None = None
        self._names: dict[str, str] = {}

    def show(self, event: Json) -> None:
        """Write one event."""
        match event["type"]:
            case "ChatReasoningChunk":
                self._stream("reasoning", event["delta"], style="dim italic")
            case "ChatChunk":
                self._stream("answer", event["delta"])
            case "ChatToolCall":
                self._names[event["toolCallId"]] = event["toolName"]
                self._line(f"[cyan]→ {escape(event['toolName'])}[/cyan] [dim]{_short(event['inputData'])}[/dim]")
            case "ChatToolResult":
                self._result(event)
            case "ChatComplete":
                self._complete(event)
            case "ChatError":
                self._error(event)

    def _stream(self, kind: str, text: str, style: str | None = None) -> None:
        if self._open not in {None, kind}:
            out.print()
        self._open = kind
        out.print(escape(text), end="", style=style)

    def _line(self, markup: str) -> None:
        if self._open is not None:
            out.print()
            self._open = None
        out.print(markup)

    def _result(self, event: Json) -> None:
        name = escape(self._names.get(event["toolCallId"], "tool"))
        mark = "[green]✓[/green]" if event["success"] else "[red]✗[/red]"
        self._line(f"{mark} {name} [dim]{event['executionTimeMs']} ms  {_short(event['output'])}[/dim]")

    def _complete(self, event: Json) -> None:
        used = f"{event['inputTokens']} + {event['outputTokens']} tokens, {event['totalTimeMs']} ms"
        if event.get("notice"):
            self._line(f"[yellow]{escape(event['notice'])}[/yellow]")
        self._line(f"[dim]{used}[/dim]")

    def _error(self, event: Json) -> None:
        self.failed = True
        self._line(f"[red]{escape(event['message'])}[/red] {escape(event['recoveryHint'])} ({event['code']})")


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return escape(text if len(text) <= 160 else text[:159] + "…")


def _fail(message: str) -> NoReturn:
    err.print(escape(message))
    raise typer.Exit(1)
