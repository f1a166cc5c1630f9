"""EventBridge's rate schedules: an event to a function every so many seconds."""

import threading
import uuid
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from local.lambdas.model import ACCOUNT, REGION


def scheduled_event(function: str, moment: datetime) -> dict[str, Any]:
    """Build what EventBridge sends for a schedule."""
    return {
        "version": "0",
        "id": str(uuid.uuid4()),
        "detail-type": "Scheduled Event",
        "source": "aws.events",
        "account": ACCOUNT,
        "time": moment.isoformat(timespec="seconds").replace("+00:00", "Z"),
        "region": REGION,
        "resources": [f"arn:aws:events:{REGION}:{ACCOUNT}:rule/{function}"],
        "detail": {},
    }


class Scheduler:
    """Fires one function's schedule in a thread. The first event comes after one period."""

    def __init__(self, send_event: Callable[[str, object], None], function: str, every_seconds: float) -> None:
        self._send_event = send_event
        self._function = function
        self._every_seconds = every_seconds
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"{function}-schedule", daemon=True)

    def start(self) -> None:
        """Begin to count."""
        self._thread.start()

    def stop(self) -> None:
        """Fire no more."""
        self._stop.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stop.wait(self._every_seconds):
            self._send_event(self._function, scheduled_event(self._function, datetime.now(UTC)))
