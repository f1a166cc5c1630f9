"""Every Lambda function: its handler, limits, and what invokes it. `infra` and `local` both read this."""

from dataclasses import dataclass, field
from typing import Final, Literal

DbRole = Literal["app", "ingest", "janitor", "seed", "owner"]


@dataclass(frozen=True, kw_only=True)
class Function:
    """What the CDK app deploys and the local Lambda endpoint runs under `rolecall-{name}`."""

    name: str
    handler: str
    timeout_seconds: int
    memory_mb: int = 1024
    database_role: DbRole | None = None
    """The Postgres role it connects with; none: it is outside the VPC and opens no database."""
    layers: tuple[str, ...] = ("base",)
    max_event_age_seconds: int = 6 * 60 * 60
    max_retries: int = 2
    """Retries of an asynchronous invocation."""
    on_failure_queue: str | None = None
    """Queue that gets asynchronous invocations which failed for good."""
    reads_queue: str | None = None
    """Queue whose messages invoke it, in batches, with partial batch responses."""
    batch_size: int = 10
    every_seconds: int | None = None
    """Period of its schedule."""
    reserved: dict[str, int] = field(default_factory=dict)
    """Invocations at once that are kept for it (and its most), by stage; not named: the account's pool."""


FUNCTIONS: Final[tuple[Function, ...]] = (
    Function(name="authorize", handler="functions.chat.authorize.handler", timeout_seconds=10, memory_mb=512),
    Function(name="front", handler="functions.chat.front.handler", timeout_seconds=10, memory_mb=512),
    Function(
        name="actions",
        handler="functions.chat.actions.handler",
        timeout_seconds=60,
        database_role="app",
        max_retries=0,
        max_event_age_seconds=60,
        on_failure_queue="rolecall-actions-failed",
    ),
    Function(
        name="turn",
        handler="functions.chat.turn.handler",
        timeout_seconds=300,
        database_role="app",
        max_retries=0,
        max_event_age_seconds=60,
        on_failure_queue="rolecall-turn-failed",
    ),
    Function(
        name="afterwards",
        handler="functions.chat.afterwards.handler",
        timeout_seconds=150,
        database_role="app",
        on_failure_queue="rolecall-afterwards-failed",
        reads_queue="rolecall-afterwards-failed",
        batch_size=1,
    ),
    Function(
        name="turn-failed",
        handler="functions.chat.turn_failed.handler",
        timeout_seconds=30,
        database_role="app",
        reads_queue="rolecall-turn-failed",
    ),
    Function(
        name="actions-failed",
        handler="functions.chat.actions.failed",
        timeout_seconds=30,
        reads_queue="rolecall-actions-failed",
    ),
    Function(name="tools", handler="functions.tools.executor.handler", timeout_seconds=300, database_role="app"),
    Function(
        name="ingest",
        handler="functions.ingest.document.handler",
        timeout_seconds=600,
        memory_mb=2048,
        database_role="ingest",
        layers=("base", "documents"),
        reads_queue="rolecall-uploads",
        batch_size=1,
    ),
    Function(
        name="ingest-failed",
        handler="functions.ingest.document.failed",
        timeout_seconds=60,
        database_role="ingest",
        reads_queue="rolecall-uploads-dlq",
    ),
    Function(name="seed", handler="functions.tools.seed.handler", timeout_seconds=120, database_role="seed"),
    Function(
        name="migrate",
        handler="functions.janitor.migrate.handler",
        timeout_seconds=300,
        database_role="owner",
    ),
)

QUEUES: Final[tuple[str, ...]] = ("rolecall-turn-failed", "rolecall-actions-failed", "rolecall-afterwards-failed")
"""Queues beside those of uploads; each has a dead-letter queue `{name}-dlq` after 3 receives."""

LIVE_TABLE: Final = "rolecall-live"
UPLOADS_BUCKET: Final = "rolecall-uploads"
TURN_MACHINE: Final = "rolecall-turn"
