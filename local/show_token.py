"""`rolecall token`: what a client of this machine's socket signs in with."""

from pathlib import Path
from typing import Annotated

import typer

from local.paths import DEFAULT_DATA
from local.secrets import load_secrets
from local.terminal import DataOption, PersonOption, caller_of
from local.tokens import HOUR, token_for


def token(
    person: PersonOption = "recruiter",
    hours: Annotated[int, typer.Option(min=1, max=8760, help="How long it holds.")] = 8,
    data: DataOption = DEFAULT_DATA,
) -> None:
    """Print a token; each of a visitor's is a session of its own."""
    typer.echo(token_for(caller_of(person), load_secrets(Path(data)).token_secret, seconds=hours * HOUR))
