"""Every WebSocket route: connect, disconnect, and each message checked, acknowledged and handed on."""

from functools import cache
from typing import Any

from rolecall.aws import sockets
from rolecall.aws.live import LiveTable
from rolecall.identity import Caller
from rolecall.protocol.limits import SUBPROTOCOL
from rolecall.settings import settings
from rolecall.turns.intake import Arrival, receive


@cache
def _live() -> LiveTable:
    return LiveTable(settings().live_table)


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Answer a WebSocket proxy event. Nothing is posted to the socket while it connects."""
    request = event["requestContext"]
    authorized = request["authorizer"]
    caller = Caller.from_plain(authorized)
    connection_id: str = request["connectionId"]
    match request["eventType"]:
        case "CONNECT":
            if not caller.anonymous:  # a visitor has no other socket that there is anything to tell
                sockets.remember(_live(), caller.user_id, connection_id)
            return {"statusCode": 200, "headers": _echo(event)}
        case "DISCONNECT":
            if not caller.anonymous:
                sockets.forget(_live(), caller.user_id, connection_id)
            return {"statusCode": 200}
    body = "" if event.get("isBase64Encoded") else event.get("body") or ""
    arrival = Arrival(body, caller, float(authorized["expiresAt"]), connection_id)
    frame = receive(arrival, _live(), settings())
    return {"statusCode": 200} | ({"body": frame.encoded()} if frame else {})


def _echo(event: dict[str, Any]) -> dict[str, str]:
    """Choose our subprotocol where it was offered; never the token beside it."""
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    offered = [part.strip() for part in headers.get("sec-websocket-protocol", "").split(",")]
    return {"Sec-WebSocket-Protocol": SUBPROTOCOL} if SUBPROTOCOL in offered else {}
