"""From the text of a frame to a request, or to an error that names what is wrong."""

import json
from typing import Any

from pydantic import ValidationError

from rolecall.errors import ErrorCode, InvalidRequest, RolecallError
from rolecall.protocol.requests import ACTIONS, Request


def parse(body: str) -> Request:
    """Read a request.

    Raises:
        InvalidRequest: for anything that is no request; the message names the field, never its value.
        RolecallError: UNKNOWN_ACTION.
    """
    data = _object(body)
    action = data.get("action")
    if not isinstance(action, str) or not action:
        raise InvalidRequest("action: give the name of an action, as text.")
    model = ACTIONS.get(action)
    if model is None:
        raise RolecallError(f"There is no action {_shown(action)}.", code=ErrorCode.UNKNOWN_ACTION)
    try:
        return model.model_validate(data)
    except ValidationError as error:
        raise InvalidRequest(_explain(error)) from error


def request_id_of(body: str) -> str | None:
    """The request's id, for an error's reply; None where there is none to be had."""
    try:
        value = _object(body).get("requestId")
    except InvalidRequest:
        return None
    usable = isinstance(value, str) and 0 < len(value) <= 100 and value.isprintable()
    return value if usable else None


def _object(body: str) -> dict[str, Any]:
    try:
        data = json.loads(body)
    except (ValueError, RecursionError) as error:
        raise InvalidRequest("The message is not JSON.", hint="Send one JSON object.") from error
    if not isinstance(data, dict):
        raise InvalidRequest("The message is not a JSON object.", hint="Send one JSON object.")
    return data


def _shown(action: str) -> str:
    return repr("".join(character for character in action[:40] if character.isprintable()))


def _explain(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    first = problems[0]
    field = ".".join(str(part) for part in first["loc"]) or "request"
    reason = first["msg"].removeprefix("Value error, ")
    more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
    return f"{field}: {reason}{more}."
