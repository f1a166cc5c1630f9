"""The `@connections` API, as `boto3.client("apigatewaymanagementapi")` calls it."""

import asyncio
import re
from collections.abc import Callable
from concurrent.futures import CancelledError
from datetime import UTC, datetime
from urllib.parse import unquote

from local.gateway.connections import SEND_SECONDS, Connection, Registry
from local.http import Call, HttpServer, Reply
from local.recorder import Recorder
from rolecall.protocol.limits import MESSAGE_BYTES

_PATH = re.compile(r"(?:/[A-Za-z0-9_$-]+)?/@connections/([^/]+)")
_CONNECTION_ID = re.compile(r"[A-Za-z0-9_-]{8,}={0,2}")


def _moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


class ManagementApi:
    """Posts to, looks at and closes the sockets of a registry, whose event loop `loop` returns."""

    def __init__(
        self,
        registry: Registry,
        loop: Callable[[], asyncio.AbstractEventLoop | None],
        recorder: Recorder | None = None,
    ) -> None:
        self._recorder = recorder
        self._registry = registry
        self._loop = loop
        self._http = HttpServer(self._answer)

    @property
    def url(self) -> str:
        """Address of the API."""
        return self._http.url

    def start(self) -> None:
        """Begin to answer."""
        self._http.start()

    def stop(self) -> None:
        """Stop answering."""
        self._http.stop()

    def _answer(self, call: Call) -> Reply:
        match = _PATH.fullmatch(call.path)
        if match is None:
            return Reply.of_error(403, "ForbiddenException", "Forbidden")
        if self._recorder is not None:
            self._recorder.note(call.headers.get("User-Agent"), "execute-api:ManageConnections", "socket")
        connection_id = unquote(match[1])
        if not _CONNECTION_ID.fullmatch(connection_id):
            return Reply.of_error(400, "BadRequestException", f"Invalid connectionId: {connection_id}")
        if call.method == "POST" and len(call.body) > MESSAGE_BYTES:
            return Reply.of_error(413, "PayloadTooLargeException", "Message too long")
        connection = self._registry.get(connection_id)
        loop = self._loop()
        if connection is None or loop is None:
            return _gone()
        match call.method:
            case "POST":
                return self._post(connection, loop, call.body)
            case "GET":
                return _describe(connection)
            case "DELETE":
                asyncio.run_coroutine_threadsafe(connection.socket.close(1000), loop)
                self._registry.remove(connection)
                return Reply(204)
            case _:
                return Reply.of_error(403, "ForbiddenException", "Forbidden")

    def _post(self, connection: Connection, loop: asyncio.AbstractEventLoop, body: bytes) -> Reply:
        self._registry.touch(connection)
        sent = asyncio.run_coroutine_threadsafe(connection.send(body, text=True), loop)
        try:
            if not sent.result(SEND_SECONDS * 2):
                return _gone()
        except (TimeoutError, CancelledError):  # the gateway stops
            return _gone()
        return Reply(200)


def _gone() -> Reply:
    return Reply.of_error(410, "GoneException", "The connection is gone.")


def _describe(connection: Connection) -> Reply:
    content = {
        "connectedAt": _moment(connection.connected_at),
        "lastActiveAt": _moment(connection.last_active),
        "identity": {"sourceIp": connection.source_ip, "userAgent": connection.user_agent},
    }
    return Reply.of_json(200, content)
