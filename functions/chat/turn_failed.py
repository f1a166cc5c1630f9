"""Ends a turn whose function failed for good: from the failure queue of `turn`, or from the state machine."""

import json
from functools import cache
from typing import Any

from rolecall.errors import ErrorCode, TurnFailed
from rolecall.settings import settings
from rolecall.telemetry import log_failure
from rolecall.turns.finish import INTERRUPTED, settle, settle_lost
from rolecall.turns.messages import StartTurn
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.runtime import build_runtime

LOST = TurnFailed(INTERRUPTED, code=ErrorCode.CHAT_ERROR)


@cache
def _runtime() -> Runtime:
    return build_runtime(settings())


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Settle one turn (state machine) or each of a batch (queue); failed ones stay in the queue."""
    if "turn" in event:
        settle(_runtime(), TurnRef.from_plain(event["turn"]), LOST, only_dead=False)
        return {}
    failures = []
    for record in event["Records"]:
        try:
            _end_of(json.loads(record["body"]))
        except Exception as error:  # noqa: BLE001 - this record comes again; the others are done
            log_failure("turn could not be settled", error, message_id=record["messageId"])
            failures.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failures}


def _end_of(failure: dict[str, Any]) -> None:
    message = StartTurn.from_plain(failure["requestPayload"])
    settle_lost(_runtime(), message, failure["requestContext"]["requestId"], LOST)
