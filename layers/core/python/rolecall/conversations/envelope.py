"""What a turn knows of its surroundings: the user, the page, the entity looked at.

Each fetch has 500 ms once the database has answered and degrades to nothing with a warning.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final, TypeVar
from uuid import UUID
from zoneinfo import ZoneInfo

from psycopg import Connection, Error

from rolecall.db.limits import set_time_limit
from rolecall.identity import Caller
from rolecall.platform.models import UserSnapshot
from rolecall.telemetry import log

FETCH_MS: Final = 500

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class EntitySnapshot:
    """The record on the page: its kind (Talent, Job, …), id, and the lines shown to the model."""

    kind: str
    id: UUID
    facts: dict[str, str]


@dataclass(frozen=True, slots=True)
class AgentContext:
    """Everything that varies from turn to turn."""

    user: UserSnapshot | None
    entity: EntitySnapshot | None
    page_context: str | None
    page_pathname: str | None
    now: datetime
    """The user's local time; UTC where they named no known zone."""


EntityFetch = Callable[[Connection[Any], Caller, UUID], EntitySnapshot | None]
ENTITY_FETCHERS: Final[dict[str, EntityFetch]] = {}
"""Page context → what reads its entity. A page without one has no [Entity] block."""


def build_context(
    conn: Connection[Any],
    caller: Caller,
    user: UserSnapshot | None,
    *,
    page_context: str | None,
    entity_id: str | None,
    page_pathname: str | None,
    timezone: str | None,
) -> AgentContext:
    """Assemble a turn's context within the caller's transaction."""
    return AgentContext(
        user=user,
        entity=_entity(conn, caller, page_context, entity_id),
        page_context=page_context,
        page_pathname=page_pathname,
        now=datetime.now(_zone(timezone)),
    )


def _entity(
    conn: Connection[Any], caller: Caller, page_context: str | None, entity_id: str | None
) -> EntitySnapshot | None:
    fetch = ENTITY_FETCHERS.get(page_context or "")
    if fetch is None or not entity_id:
        return None
    try:
        entity = UUID(entity_id)
    except ValueError:
        return None
    return _within_limit(conn, "entity", lambda: fetch(conn, caller, entity))


def _within_limit(conn: Connection[Any], what: str, fetch: Callable[[], T | None]) -> T | None:
    try:
        with conn.transaction():
            set_time_limit(conn, FETCH_MS)
            found = fetch()
            set_time_limit(conn, None)
            return found
    except Error as error:
        log.warning("context fetch gave nothing", extra={"what": what, "sqlstate": error.sqlstate})
        return None


def _zone(name: str | None) -> ZoneInfo | Any:
    try:
        return ZoneInfo(name) if name else UTC
    except (ValueError, KeyError, OSError):
        return UTC
