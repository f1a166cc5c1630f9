"""A Lambda service in this process, for tests of what invokes functions."""

import json
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from local.lambdas.model import Outcome


class FakeLambda:
    """Runs Python functions as if they were Lambda's, and keeps every event."""

    def __init__(self, **handlers: Callable[[Any, Any], Any]) -> None:
        self.handlers = handlers
        self.events: list[tuple[str, Any]] = []
        self._threads = ThreadPoolExecutor(8)

    def __call__(self, name: str, event: Any) -> "Future[Outcome]":
        self.events.append((name, json.loads(json.dumps(event))))
        return self._threads.submit(self._run, name, event)

    def _run(self, name: str, event: Any) -> Outcome:
        try:
            return Outcome(payload=json.dumps(self.handlers[name](event, None)).encode())
        except Exception as exc:  # noqa: BLE001 - as Lambda's runtime does
            return Outcome.of_failure(type(exc).__name__, str(exc))

    def of(self, event_type: str) -> list[Any]:
        """Return the events of one type that `front` got."""
        return [
            event
            for name, event in self.events
            if name == "front" and event["requestContext"]["eventType"] == event_type
        ]

    def stop(self) -> None:
        self._threads.shutdown()
