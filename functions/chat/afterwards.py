"""What a conversation needs after a turn, when its answer is there: a summary of its older part, a title."""

import json
from functools import cache
from typing import Any

from rolecall.settings import settings
from rolecall.telemetry import log_failure
from rolecall.turns.afterwards import tidy
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.runtime import build_runtime


@cache
def _runtime() -> Runtime:
    return build_runtime(settings())


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """See to one conversation (from `turn`), or to those whose invocations failed (from the failure queue)."""
    if "turn" in event:
        tidy(_runtime(), TurnRef.from_plain(event["turn"]))
        return {}
    failures = []
    for record in event["Records"]:
        try:
            tidy(_runtime(), TurnRef.from_plain(json.loads(record["body"])["requestPayload"]["turn"]))
        except Exception as error:  # noqa: BLE001 - this record comes again; the others are done
            log_failure("conversation was not tidied", error, message_id=record["messageId"])
            failures.append({"itemIdentifier": record["messageId"]})
    return {"batchItemFailures": failures}
