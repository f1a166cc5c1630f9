"""`python -m local` is `rolecall`."""

from local.cli import app

app()
