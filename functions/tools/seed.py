"""Writes the declared tools to rows; runs at every deploy, after the migrations."""

from dataclasses import asdict
from typing import Any

from functions.tools.catalogue import CATALOGUE
from rolecall.db import Database
from rolecall.settings import settings
from rolecall.tools.seed import seed


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Seed the tool definitions."""
    db = Database(settings().database_url.get_secret_value())
    return asdict(seed(db, CATALOGUE.values()))
