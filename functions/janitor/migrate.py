"""Applies pending migrations at deploy and at start."""

from typing import Any

from rolecall.db.migrate import migrate
from rolecall.settings import settings


def handler(_event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Bring the schema up to date; `applied` names what was done."""
    return {"applied": migrate(settings().database_url.get_secret_value())}
