"""Every action but a message: answered here, its reply posted to the socket it came from."""

import json
from functools import cache
from typing import Any
from uuid import UUID

from functions.chat.answers import ANSWERS
from functions.chat.answers.asked import Asked
from rolecall.errors import ErrorCode, RolecallError
from rolecall.identity import Caller
from rolecall.protocol.events import Error, Frame, Reply
from rolecall.protocol.requests import ACTIONS, Request
from rolecall.settings import settings
from rolecall.telemetry import log_failure
from rolecall.turns.models import Runtime
from rolecall.turns.reply import send_reply
from rolecall.turns.runtime import build_runtime


@cache
def _runtime() -> Runtime:
    return build_runtime(settings())


def handler(event: dict[str, Any], context: object) -> None:  # noqa: ARG001 - Lambda's signature
    """Answer one request that `front` has checked."""
    request = ACTIONS[event["request"]["action"]].model_validate(event["request"])
    asked = Asked(Caller.from_plain(event["caller"]), event["connectionId"], UUID(event["deliveryId"]))
    send_reply(_runtime().sockets, asked.connection_id, _answer(request, asked))


def _answer(request: Request, asked: Asked) -> Frame:
    try:
        data = ANSWERS[type(request)](_runtime(), asked, request)
    except RolecallError as error:
        return Error.of(error, request.request_id)
    except Exception as error:  # noqa: BLE001 - the caller gets an answer whatever happened; the log gets the reason
        log_failure("action failed", error, action=request.action)
        failed = RolecallError("Something went wrong on our side.", code=ErrorCode.UNKNOWN, hint="Try again.")
        return Error.of(failed, request.request_id)
    return Reply(request_id=request.request_id, data=data)


def failed(event: dict[str, Any], context: object) -> None:  # noqa: ARG001 - Lambda's signature
    """Tell callers of requests that failed for good, from the failure queue of `actions`."""
    lost = RolecallError("The request could not be answered.", code=ErrorCode.UNKNOWN, hint="Send it again.")
    for record in event["Records"]:
        payload = json.loads(record["body"])["requestPayload"]
        frame = Error.of(lost, payload["request"].get("requestId"))
        send_reply(_runtime().sockets, payload["connectionId"], frame)
