"""Who may connect: the authorizer is asked, then `$connect` is run."""

import asyncio
import time
from collections.abc import Callable
from concurrent.futures import Future

from websockets.asyncio.server import ServerConnection
from websockets.http11 import Request

from local.gateway import events, integration
from local.gateway.authorizer import Refused, judge
from local.gateway.connections import Connection, Registry
from local.gateway.events import Event, Handshake
from local.lambdas.model import Outcome

Invoke = Callable[[str, Event], "Future[Outcome]"]
"""Invokes a function by its name in the manifest."""


class Doorkeeper:
    """Runs the two functions that stand between an upgrade request and an open socket."""

    def __init__(
        self, registry: Registry, invoke: Invoke, integration_seconds: float, domain: Callable[[], str]
    ) -> None:
        self._registry = registry
        self._invoke = invoke
        self._integration_seconds = integration_seconds
        self._domain = domain

    async def admit(self, socket: ServerConnection, request: Request) -> Connection:
        """Return the connection that a request is to become. Nobody can post to it yet.

        Raises:
            Refused: the authorizer or `$connect` says no, fails, or takes too long.
        """
        peer = socket.remote_address
        handshake = Handshake(request.headers, request.path.partition("?")[2])
        connection = Connection(
            socket=socket,
            connected_at=self._registry.now(),
            source_ip=peer[0] if peer else "",
            user_agent=request.headers.get("User-Agent", ""),
        )
        await self._authorize(connection, handshake)
        await self._connect(connection, handshake)
        return connection

    async def _authorize(self, connection: Connection, handshake: Handshake) -> None:
        began = time.monotonic()
        event = events.authorizer_event(connection, handshake, self._registry.now(), self._domain())
        outcome = await self._outcome("authorize", event)
        connection.authorizer = judge(outcome, int((time.monotonic() - began) * 1000))

    async def _connect(self, connection: Connection, handshake: Handshake) -> None:
        event = events.connect_event(connection, handshake, self._registry.now(), self._domain())
        answer = integration.read(await self._outcome("front", event))
        if answer is None or not answer.ok:
            raise Refused(answer.status if answer else 500, "Internal server error")
        connection.subprotocol = answer.header("Sec-WebSocket-Protocol")

    async def _outcome(self, function: str, event: Event) -> Outcome:
        wrapped = asyncio.wrap_future(self._invoke(function, event))
        done, _ = await asyncio.wait({wrapped}, timeout=self._integration_seconds)
        if not done:
            raise Refused(504, "Endpoint request timed out")
        return wrapped.result()
