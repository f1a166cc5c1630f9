"""Asynchronous invocations: queued, retried, given up by age, and then reported to the on-failure queue."""

import heapq
import itertools
import json
import logging
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from typing import Any, Literal

from local.faults import DeliveryRule
from local.lambdas.model import Invocation, Outcome, Spec
from local.lambdas.pool import Pool

log = logging.getLogger("local.lambdas")

RETRY_SECONDS = (1.0, 2.0)
"""Waits before the retries. In AWS these are minutes; nothing depends on more than their order."""
THROTTLE_SECONDS = 0.2

SendToQueue = Callable[[str, dict[str, Any]], None]


@dataclass(frozen=True, kw_only=True)
class _Delivery:
    spec: Spec
    invocation: Invocation
    attempt: int = 1


def failure_record(
    delivery_spec: Spec, invocation: Invocation, attempts: int, condition: str, outcome: Outcome
) -> dict[str, Any]:
    """Build what Lambda sends to a destination for a failed asynchronous invocation."""
    record: dict[str, Any] = {
        "version": "1.0",
        "timestamp": datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z"),
        "requestContext": {
            "requestId": invocation.request_id,
            "functionArn": f"{delivery_spec.arn}:$LATEST",
            "condition": condition,
            "approximateInvokeCount": attempts,
        },
        "requestPayload": json.loads(invocation.event),
    }
    if outcome.condition == "done":
        record["responseContext"] = {
            "statusCode": 200,
            "executedVersion": "$LATEST",
            "functionError": outcome.error,
        }
        record["responsePayload"] = json.loads(outcome.payload)
    return record


class EventQueue:
    """Delivers events to pools in its own thread."""

    def __init__(self, *, rule: DeliveryRule | None, send_to_queue: SendToQueue) -> None:
        self._rule = rule
        self._send_to_queue = send_to_queue
        self._heap: list[tuple[float, int, Pool, _Delivery]] = []
        self._numbers = itertools.count()
        self._changed = threading.Condition()
        self._open = 0
        self._closed = False
        self._thread = threading.Thread(target=self._run, name="lambda-events", daemon=True)

    def start(self) -> None:
        """Begin to deliver."""
        self._thread.start()

    def stop(self) -> None:
        """Stop delivering; what is queued is lost, as it is when the machine stops."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
        self._thread.join()

    def submit(self, pool: Pool, event: bytes, request_id: str) -> None:
        """Queue an event, once or as often as the delivery rule says."""
        invocation = Invocation(
            event=event, request_id=request_id, not_after=time.time() + pool.spec.max_event_age_seconds
        )
        for delay in self._rule.delays(pool.spec.name) if self._rule else [0.0]:
            self._schedule(pool, _Delivery(spec=pool.spec, invocation=invocation), delay)

    def wait_idle(self, timeout: float) -> bool:
        """Wait until no event is queued or running; say whether that came about."""
        with self._changed:
            return self._changed.wait_for(lambda: self._open == 0, timeout)

    def _schedule(self, pool: Pool, delivery: _Delivery, delay: float) -> None:
        with self._changed:
            self._open += 1
            heapq.heappush(self._heap, (time.monotonic() + delay, next(self._numbers), pool, delivery))
            self._changed.notify_all()

    def _next(self) -> tuple[Pool, _Delivery] | None:
        with self._changed:
            while not self._closed:
                wait = self._heap[0][0] - time.monotonic() if self._heap else None
                if wait is not None and wait <= 0:
                    return heapq.heappop(self._heap)[2:]
                self._changed.wait(wait)
        return None

    def _run(self) -> None:
        while (item := self._next()) is not None:
            pool, delivery = item
            future = pool.submit(delivery.invocation)
            future.add_done_callback(lambda done, p=pool, d=delivery: self._ended(p, d, done))  # type: ignore[misc]

    def _ended(self, pool: Pool, delivery: _Delivery, future: "Future[Outcome]") -> None:
        try:
            self._settle(pool, delivery, future.result())
        except Exception:
            log.exception("a failed event could not be reported: %s", delivery.spec.name)
        finally:
            with self._changed:
                self._open -= 1
                self._changed.notify_all()

    def _settle(self, pool: Pool, delivery: _Delivery, outcome: Outcome) -> None:
        if self._closed or (outcome.condition == "done" and outcome.error is None):
            return
        delay = self._retry_delay(delivery, outcome)
        if isinstance(delay, str):
            self._give_up(delivery, delay, outcome)
            return
        attempt = delivery.attempt + (outcome.condition == "done")
        self._schedule(pool, replace(delivery, attempt=attempt), delay)

    @staticmethod
    def _retry_delay(delivery: _Delivery, outcome: Outcome) -> float | Literal["RetriesExhausted", "EventAgeExceeded"]:
        if outcome.condition == "expired":
            return "EventAgeExceeded"
        if outcome.condition == "throttled":
            return THROTTLE_SECONDS
        if delivery.attempt > delivery.spec.max_retries:
            return "RetriesExhausted"
        return RETRY_SECONDS[min(delivery.attempt, len(RETRY_SECONDS)) - 1]

    def _give_up(self, delivery: _Delivery, condition: str, outcome: Outcome) -> None:
        log.warning("an event was given up: %s, %s", delivery.spec.name, condition)
        if delivery.spec.on_failure_queue is None:
            return
        attempts = delivery.attempt if outcome.condition == "done" else delivery.attempt - 1
        record = failure_record(delivery.spec, delivery.invocation, attempts, condition, outcome)
        self._send_to_queue(delivery.spec.on_failure_queue, record)
