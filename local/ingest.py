"""`rolecall ingest`: files become documents, with a bar for each and a summary."""

from pathlib import Path
from typing import Annotated

import typer
from rich.markup import escape
from rich.progress import BarColumn, Progress, TaskID, TextColumn, TimeElapsedColumn
from rich.table import Table

from local.client import Client, RequestFailed
from local.paths import DEFAULT_DATA
from local.terminal import DataOption, PersonOption, connected, out
from local.uploads import UploadFailed, upload


def ingest(
    files: Annotated[list[Path], typer.Argument(help="Files to read: PDF, DOCX, TXT, MD, CSV, HTML.")],
    person: PersonOption = "recruiter",
    data: DataOption = DEFAULT_DATA,
) -> None:
    """Upload files for your agent to answer from."""
    with connected(data, person) as client:
        failed = read_files(client, files)
    if failed:
        raise typer.Exit(1)


def read_files(client: Client, files: list[Path]) -> int:
    """Upload files one after the other and show how it goes; return how many failed."""
    table = Table("File", "Result", box=None, pad_edge=False)
    failed = 0
    with progress_bars() as bars:
        tasks = {path: bars.add_task(escape(path.name), total=1.0, status="waiting") for path in files}
        for path, task in tasks.items():
            reason = _read_one(client, path, bars, task)
            failed += reason is not None
            table.add_row(escape(path.name), f"[red]{escape(reason)}[/red]" if reason else "[green]ready[/green]")
    out.print(table)
    out.print(f"{len(files) - failed} of {len(files)} ready.")
    return failed


def progress_bars() -> Progress:
    """Make the bars that uploads are shown with."""
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("[dim]{task.fields[status]}[/dim]"),
        TimeElapsedColumn(),
        console=out,
    )


def _read_one(client: Client, path: Path, bars: Progress, task: TaskID) -> str | None:
    def show(status: str, done: float) -> None:
        bars.update(task, completed=done, status=status.lower())

    try:
        upload(client, path, show)
    except (UploadFailed, TimeoutError) as error:
        show("failed", 0.0)
        return str(error).removeprefix(f"{path.name}: ")
    except RequestFailed as error:
        show("failed", 0.0)
        return f"{error} {error.hint}"
    show("ready", 1.0)
    return None
