"""What API Gateway makes of a REQUEST authorizer's answer."""

import json
import re
from typing import Any

from local.gateway.events import METHOD_ARN
from local.lambdas.model import Outcome


class Refused(Exception):
    """The upgrade is refused with this status and message."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message


class _Malformed(Exception):
    pass


def judge(outcome: Outcome, latency_ms: int) -> dict[str, str | int]:
    """Return the authorizer's context as events repeat it.

    Raises:
        Refused: 401 for a raised `Unauthorized`, 403 for a policy that does not allow, 500 for anything
            that is no answer.
    """
    content = json.loads(outcome.payload)
    if outcome.error:
        if isinstance(content, dict) and content.get("errorMessage") == "Unauthorized":
            raise Refused(401, "Unauthorized")
        raise Refused(500, "Internal server error")
    try:
        allowed, context = _read(content)
    except _Malformed as exc:
        raise Refused(500, "Internal server error") from exc
    if not allowed:
        raise Refused(403, "User is not authorized to access this resource")
    return {**context, "integrationLatency": latency_ms}


def _read(answer: Any) -> tuple[bool, dict[str, str]]:
    if not isinstance(answer, dict) or not isinstance(answer.get("principalId"), str):
        raise _Malformed
    context = {key: _flat(value) for key, value in _mapping(answer.get("context") or {}).items()}
    statements = _mapping(answer.get("policyDocument")).get("Statement")
    statements = [statements] if isinstance(statements, dict) else statements
    if not isinstance(statements, list) or not statements:
        raise _Malformed
    effects = {_mapping(statement).get("Effect") for statement in statements if _applies(_mapping(statement))}
    return "Allow" in effects and "Deny" not in effects, {**context, "principalId": answer["principalId"]}


def _mapping(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise _Malformed
    return value


def _flat(value: Any) -> str:
    """Return a context value as text; objects, arrays and nulls are no context."""
    if not isinstance(value, str | int | float):
        raise _Malformed
    return value if isinstance(value, str) else json.dumps(value)


def _applies(statement: dict[str, Any]) -> bool:
    return _matches(statement.get("Action"), "execute-api:Invoke") and _matches(statement.get("Resource"), METHOD_ARN)


def _matches(patterns: Any, value: str) -> bool:
    for pattern in [patterns] if isinstance(patterns, str) else patterns or []:
        if not isinstance(pattern, str):
            raise _Malformed
        expression = re.escape(pattern).replace(r"\*", ".*").replace(r"\?", ".")
        if re.fullmatch(expression, value, re.IGNORECASE):
            return True
    return False
