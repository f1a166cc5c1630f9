"""Applies pending migrations at deploy and at start."""

import json
import secrets
from typing import Any

from psycopg.conninfo import make_conninfo

from rolecall.aws.secrets import read_secret
from rolecall.db.bootstrap import bootstrap
from rolecall.db.migrate import migrate
from rolecall.settings import settings


def handler(_event: dict[str, Any], _context: object) -> dict[str, Any]:
    """Bring the schema up to date, after the server itself where its master is known; `applied` names what was done."""
    url, master = settings().database_url.get_secret_value(), settings().database_admin_secret_arn
    return {"applied": migrate(_prepared(url, master) if master else url)}


def _prepared(url: str, secret_arn: str) -> str:
    """Make roles and database as the master; the owner's password is new each time and kept nowhere."""
    master, password = json.loads(read_secret(secret_arn)), secrets.token_urlsafe(32)
    admin_url = make_conninfo(url, user=master["username"], password=master["password"], dbname="postgres")
    bootstrap(admin_url, {"owner": password})
    return make_conninfo(url, password=password)
