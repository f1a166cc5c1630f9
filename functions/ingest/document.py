"""Reads uploaded documents: messages of the uploads queue, each about an object that arrived in S3."""

import time
from functools import cache
from typing import Any, Final

from rolecall.aws.live import LiveTable
from rolecall.aws.sockets import Sockets
from rolecall.db import Database
from rolecall.knowledge.arrivals import arrivals
from rolecall.knowledge.ingest import Delivery, Ingest, give_up, ingest
from rolecall.knowledge.progress import pusher
from rolecall.settings import settings
from rolecall.telemetry import log_failure

SPARE_SECONDS: Final = 20
"""Kept back from the time limit to end a document properly."""


@cache
def _tools() -> Ingest:
    found = settings()
    return Ingest(
        db=Database(found.database_url.get_secret_value()),
        push=pusher(LiveTable(found.live_table), Sockets(found.connections_url)),
        settings=found,
    )


def handler(event: dict[str, Any], context: Any) -> dict[str, Any]:
    """Read each message's documents; a message that may succeed later stays in the queue."""
    deadline = time.monotonic() + context.get_remaining_time_in_millis() / 1000 - SPARE_SECONDS
    return _each(event, lambda record: _ingest(record, deadline))


def failed(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Fail the documents of messages that were given up: their reader died at the last try."""
    return _each(event, _give_up)


def _ingest(record: dict[str, Any], deadline: float) -> None:
    delivery = Delivery(record["messageId"], int(record["attributes"]["ApproximateReceiveCount"]), deadline)
    for arrival in arrivals(record["body"]):
        ingest(_tools(), arrival, delivery)


def _give_up(record: dict[str, Any]) -> None:
    for arrival in arrivals(record["body"]):
        give_up(_tools(), arrival, record["messageId"])


def _each(event: dict[str, Any], work: Any) -> dict[str, Any]:
    failures = []
    for record in event["Records"]:
        try:
            work(record)
        except Exception as error:  # noqa: BLE001 - this message comes again; the others are done
            log_failure("message stays in the queue", error, message_id=record["messageId"])
            failures.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failures}
