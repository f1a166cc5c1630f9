"""The events of a WebSocket API, in the shape that API Gateway gives them."""

import base64
import uuid
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import parse_qs

from websockets.datastructures import Headers

from local.gateway.connections import Connection
from local.gateway.routing import CONNECT, DISCONNECT
from local.lambdas.model import ACCOUNT, REGION

API_ID = "local00000"
STAGE = "local"
METHOD_ARN = f"arn:aws:execute-api:{REGION}:{ACCOUNT}:{API_ID}/{STAGE}/{CONNECT}"

Event = dict[str, Any]


@dataclass(frozen=True)
class Handshake:
    """What a client sent to connect."""

    headers: Headers
    query: str


def _context(connection: Connection, route: str, kind: str, now: float, domain: str) -> Event:
    request_id = uuid.uuid4().hex[:12]
    moment = datetime.fromtimestamp(now, UTC)
    context: Event = {
        "routeKey": route,
        "eventType": kind,
        "extendedRequestId": request_id,
        "requestTime": moment.strftime("%d/%b/%Y:%H:%M:%S +0000"),
        "messageDirection": "IN",
        "stage": STAGE,
        "connectedAt": int(connection.connected_at * 1000),
        "requestTimeEpoch": int(now * 1000),
        "identity": {"sourceIp": connection.source_ip, "userAgent": connection.user_agent},
        "requestId": request_id,
        "domainName": domain,
        "connectionId": connection.connection_id,
        "apiId": API_ID,
    }
    if connection.authorizer:
        context["authorizer"] = dict(connection.authorizer)
    return context


def _headers(headers: Headers) -> Event:
    many: dict[str, list[str]] = {}
    for name, value in headers.raw_items():
        many.setdefault(name, []).append(value)
    return {"headers": {name: values[-1] for name, values in many.items()}, "multiValueHeaders": many}


def _query(query: str) -> dict[str, list[str]]:
    return parse_qs(query, keep_blank_values=True)


def authorizer_event(connection: Connection, handshake: Handshake, now: float, domain: str) -> Event:
    """Build what a REQUEST authorizer gets when a client connects."""
    many = _query(handshake.query)
    return {
        "type": "REQUEST",
        "methodArn": METHOD_ARN,
        **_headers(handshake.headers),
        "queryStringParameters": {name: values[-1] for name, values in many.items()},
        "multiValueQueryStringParameters": many,
        "stageVariables": {},
        "requestContext": _context(connection, CONNECT, "CONNECT", now, domain),
    }


def connect_event(connection: Connection, handshake: Handshake, now: float, domain: str) -> Event:
    """Build the `$connect` event; without a query it has no query keys."""
    event: Event = {
        **_headers(handshake.headers),
        "requestContext": _context(connection, CONNECT, "CONNECT", now, domain),
        "isBase64Encoded": False,
    }
    many = _query(handshake.query)
    if many:
        event["queryStringParameters"] = {name: values[-1] for name, values in many.items()}
        event["multiValueQueryStringParameters"] = many
    return event


def message_event(connection: Connection, route: str, message: str | bytes, now: float, domain: str) -> Event:
    """Build the event of one message; a binary one is in base64."""
    context = _context(connection, route, "MESSAGE", now, domain)
    context["messageId"] = uuid.uuid4().hex[:14]
    binary = isinstance(message, bytes)
    body = base64.b64encode(message).decode() if isinstance(message, bytes) else message
    return {"requestContext": context, "body": body, "isBase64Encoded": binary}


def disconnect_event(connection: Connection, code: int, reason: str, now: float, domain: str) -> Event:
    """Build the `$disconnect` event."""
    context = _context(connection, DISCONNECT, "DISCONNECT", now, domain)
    context["disconnectStatusCode"] = code
    context["disconnectReason"] = reason
    headers = {"Host": domain, "x-api-key": "", "X-Forwarded-For": "", "x-restapi": ""}
    return {
        "headers": headers,
        "multiValueHeaders": {name: [value] for name, value in headers.items()},
        "requestContext": context,
        "isBase64Encoded": False,
    }
