"""`rolecall chat`: one message from the terminal, its answer as it comes."""

import json
import re
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.markup import escape
from rich.progress import TaskID

from local import uploads
from local.client import Client, Json
from local.ingest import progress_bars
from local.paths import DEFAULT_DATA
from local.terminal import DataOption, PersonOption, connected, out
from local.uploads import upload


def chat(
    message: Annotated[str, typer.Argument(help="What to say.")],
    conversation: Annotated[str | None, typer.Option(help="Go on with this conversation.")] = None,
    file: Annotated[list[Path] | None, typer.Option(help="A file to ask about; may be given several times.")] = None,
    attach: Annotated[
        list[Path] | None, typer.Option(help="A file or picture to show with the message, 5 at most.")
    ] = None,
    keep: Annotated[
        bool, typer.Option("--keep/--unkept", help="Whether the message and its answer stay on record.")
    ] = True,
    person: PersonOption = "recruiter",
    data: DataOption = DEFAULT_DATA,
) -> None:
    """Say something to your agent and watch the answer."""
    with connected(data, person) as client:
        documents = _upload(client, file or [])
        attachments = [uploads.attach(client, path) for path in attach or []]
        fields = {"documentIds": documents, "attachments": attachments, "store": keep}
        failed = _converse(client, message, conversation, **fields)
    if failed:
        raise typer.Exit(1)


def _upload(client: Client, files: list[Path]) -> list[str]:
    documents: list[str] = []
    with progress_bars() as bars:
        for path in files:
            task = bars.add_task(escape(path.name), total=1.0, status="waiting")

            def show(status: str, done: float, task: TaskID = task) -> None:
                bars.update(task, completed=done, status=status.lower())

            documents.append(upload(client, path, show).document_id)
    return documents


def _converse(client: Client, message: str, conversation: str | None, **fields: Any) -> bool:
    if conversation is None:
        made = client.request("createConversation", store=fields["store"])
        conversation = made["conversation"]["conversationId"]
    printer = Printer()
    for event in client.chat(conversation, message, **fields):
        printer.show(event)
    out.print(f"\n[dim]conversation {conversation}[/dim]")
    return printer.failed


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
        self._sources(event)
        self._line(f"[dim]{used}[/dim]")

    def _sources(self, event: Json) -> None:
        cited = {int(n) for n in re.findall(r"\[(\d+)\]", event["content"])}
        for source in event.get("sources", []):
            if not cited or source["n"] in cited:
                self._line(f"[cyan]\\[{source['n']}][/cyan] {escape(_place(source))}")

    def _error(self, event: Json) -> None:
        self.failed = True
        self._line(f"[red]{escape(event['message'])}[/red] {escape(event['recoveryHint'])} ({event['code']})")


def _place(source: Json) -> str:
    pages = f"page {source['page']}" if source.get("page") else None
    if source.get("pageTo", source.get("page")) != source.get("page"):
        pages = f"pages {source['page']}-{source['pageTo']}"
    span = f"characters {source['charFrom']}-{source['charTo']}"
    return " · ".join(filter(None, (source["filename"], pages, source.get("section"), span)))


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return escape(text if len(text) <= 160 else text[:159] + "…")
