"""What the parts of the Lambda endpoint tell one another: a function, an outcome, and Lambda's own errors."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

ACCOUNT = "123456789012"
REGION = "eu-north-1"


@dataclass(frozen=True, kw_only=True)
class Spec:
    """A function as its workers need it."""

    name: str
    """With its prefix: `rolecall-turn`."""
    handler: str
    timeout_seconds: float
    memory_mb: int
    env: Mapping[str, str]
    log_path: Path
    max_retries: int = 2
    max_event_age_seconds: float = 6 * 60 * 60
    on_failure_queue: str | None = None

    @property
    def arn(self) -> str:
        """The function's ARN."""
        return f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:{self.name}"


Condition = Literal["done", "expired", "throttled"]


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """How an invocation ended."""

    payload: bytes
    error: Literal["Unhandled"] | None = None
    condition: Condition = "done"
    threads: tuple[str, ...] = ()
    """Names of threads that the handler left running."""

    @classmethod
    def of_failure(cls, kind: str, message: str, **more: Any) -> "Outcome":
        """Build the outcome of an invocation that Lambda itself ended."""
        content = {"errorMessage": message, "errorType": kind, **more}
        return cls(payload=json.dumps(content).encode(), error="Unhandled")


@dataclass(frozen=True, kw_only=True)
class Invocation:
    """One event on its way to a worker."""

    event: bytes
    request_id: str
    client_context: dict[str, Any] | None = None
    not_after: float | None = None
    """Unix time after which it is not run any more (asynchronous events)."""
    trace: dict[str, str] = field(default_factory=dict)
