"""Which route a message goes to: API Gateway's selection by `$request.body.action`."""

import json
from collections.abc import Set as AbstractSet

CONNECT = "$connect"
DISCONNECT = "$disconnect"
DEFAULT = "$default"


def route_of(message: str | bytes, routes: AbstractSet[str]) -> str:
    """Return the route of a message; what cannot be selected goes to `$default`.

    `routes` are the actions alone: a body never selects `$connect` or `$disconnect`.
    """
    if isinstance(message, bytes):
        return DEFAULT
    try:
        body = json.loads(message)
    except (ValueError, RecursionError):
        return DEFAULT
    action = body.get("action") if isinstance(body, dict) else None
    return action if isinstance(action, str) and action in routes else DEFAULT
