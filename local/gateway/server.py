"""The WebSocket server: one asyncio loop in a thread of its own, Lambda invocations beside it."""

import asyncio
import contextlib
import json
import logging
import os
import socket
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Subprotocol

from local.gateway import events, integration, pages
from local.gateway.authorizer import Refused
from local.gateway.connections import Clock, Connection, Registry
from local.gateway.doorkeeper import Doorkeeper, Invoke
from local.gateway.management import ManagementApi
from local.gateway.routing import route_of
from local.lambdas.model import Outcome
from local.page import Page
from local.recorder import Recorder
from rolecall.protocol import limits
from rolecall.protocol.requests import ACTIONS

log = logging.getLogger("local.gateway")

IN_FLIGHT = 100
"""Messages of one connection that may wait for their answers; reading stops until some have come."""
SWEEP_SECONDS = 0.5
GOODBYE_SECONDS = 2


class PortTaken(Exception):
    """Something else listens on the port."""


class Gateway:
    """Turns sockets into Lambda events. `invoke` gets a function's name in the manifest and its event."""

    def __init__(
        self,
        port: int,
        invoke: Invoke,
        *,
        clock: Clock | None = None,
        integration_seconds: float = limits.INTEGRATION_SECONDS,
        page: Page | None = None,
        recorder: Recorder | None = None,
    ) -> None:
        self._port = port
        self._invoke = invoke
        self._integration_seconds = integration_seconds
        self._page = page
        self.registry = Registry(clock)
        self._loop: asyncio.AbstractEventLoop | None = None
        self._management = ManagementApi(self.registry, lambda: self._loop, recorder)
        self._handshakes: dict[ServerConnection, Connection] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._socket: socket.socket | None = None
        self._thread = threading.Thread(target=self._run, name="gateway", daemon=True)
        self._ready = threading.Event()
        self._doorkeeper = Doorkeeper(self.registry, invoke, integration_seconds, lambda: self._domain)

    @property
    def port(self) -> int:
        """The public port, once bound."""
        return self._port

    @property
    def management_url(self) -> str:
        """Address of the `@connections` API."""
        return self._management.url

    @property
    def _domain(self) -> str:
        return f"127.0.0.1:{self.port}"

    def bind(self) -> None:
        """Take the port, and answer `@connections`; clients wait until `open`.

        Raises:
            PortTaken: something else listens there.
        """
        try:
            self._socket = socket.create_server(("127.0.0.1", self._port), backlog=128)
        except OSError as exc:
            raise PortTaken(f"Port {self._port} cannot be used: {os.strerror(exc.errno or 0)}.") from exc
        self._port = int(self._socket.getsockname()[1])
        self._management.start()

    def open(self) -> None:
        """Let clients in."""
        self._thread.start()
        self._ready.wait()

    def stop(self) -> None:
        """Close every socket, tell the functions, and free the port; does nothing twice."""
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.call_soon_threadsafe(self._stopping.set)
            self._thread.join()
        if self._socket is not None:
            self._socket.close()
            self._management.stop()
            self._socket = None

    def _run(self) -> None:
        asyncio.run(self._serve())

    async def _serve(self) -> None:
        self._stopping = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        async with serve(
            self._handle,
            sock=self._socket,
            process_request=self._process_request,
            select_subprotocol=self._select_subprotocol,
            compression=None,
            open_timeout=limits.INTEGRATION_SECONDS * 2 + 5,
            ping_interval=None,
            close_timeout=1,
            max_size=(limits.MESSAGE_BYTES, limits.FRAME_BYTES),
            server_header=None,
        ) as server:
            self._ready.set()
            await self._until_stopped(server)
        await self._say_goodbye()

    async def _until_stopped(self, server: Server) -> None:
        while not self._stopping.is_set():
            self.sweep()
            try:
                await asyncio.wait_for(self._stopping.wait(), SWEEP_SECONDS)
            except TimeoutError:
                continue
        server.close(code=1001, reason="going away")

    async def _say_goodbye(self) -> None:
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=GOODBYE_SECONDS)

    def sweep(self) -> None:
        """Close what was silent or open for too long. Runs in the gateway's loop."""
        for connection in self.registry.expired(limits.IDLE_SECONDS, limits.CONNECTION_SECONDS):
            self._spawn(connection.socket.close(1001, "Going away"))

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _process_request(self, connection: ServerConnection, request: Request) -> Response | None:
        if request.headers.get("Upgrade", "").lower() != "websocket":
            return pages.answer(request, self._page)
        try:
            admitted = await self._doorkeeper.admit(connection, request)
        except Refused as refused:
            return pages.refusal(refused.status, refused.message)
        self._handshakes[connection] = admitted
        self._spawn(self._disconnect(admitted))
        return None

    def _select_subprotocol(
        self,
        connection: ServerConnection,
        subprotocols: Any,  # noqa: ARG002 - the integration has chosen
    ) -> Subprotocol | None:
        chosen = self._handshakes[connection].subprotocol
        return Subprotocol(chosen) if chosen else None

    async def _handle(self, socket_: ServerConnection) -> None:
        connection = self._handshakes[socket_]
        self.registry.add(connection)
        free = asyncio.Semaphore(IN_FLIGHT)
        with contextlib.suppress(ConnectionClosed):
            async for message in socket_:
                await free.acquire()
                self._route(connection, message, free)

    def _route(self, connection: Connection, message: str | bytes, free: asyncio.Semaphore) -> None:
        """Queue the invocation for one message before the next is read, so that messages keep their order."""
        self.registry.touch(connection)
        route = route_of(message, ACTIONS.keys())
        event = events.message_event(connection, route, message, self.registry.now(), self._domain)
        future = self._invoke("front", event)
        self._spawn(self._reply(connection, event["requestContext"]["requestId"], future, free))

    async def _reply(
        self, connection: Connection, request_id: str, future: "Future[Outcome]", free: asyncio.Semaphore
    ) -> None:
        """Send what the integration answered to one message."""
        wrapped = asyncio.wrap_future(future)
        try:
            done, _ = await asyncio.wait({wrapped}, timeout=self._integration_seconds)
        finally:
            free.release()
        answer = integration.read(wrapped.result()) if done else None
        if answer is not None and answer.ok:
            body = answer.body
        else:
            message = "Internal server error" if done else "Endpoint request timed out"
            body = json.dumps({"message": message, "connectionId": connection.connection_id, "requestId": request_id})
        if body:
            self.registry.touch(connection)
            await connection.send(body, text=isinstance(body, str))

    async def _disconnect(self, connection: Connection) -> None:
        """Wait for the socket's end, then tell the function, best effort."""
        socket_ = connection.socket
        await socket_.wait_closed()
        self.registry.remove(connection)
        self._handshakes.pop(socket_, None)
        code = socket_.close_code or 1006
        reason = socket_.close_reason or ""
        event = events.disconnect_event(connection, code, reason, self.registry.now(), self._domain)
        outcome = await asyncio.wrap_future(self._invoke("front", event))
        if outcome.error:
            log.warning("$disconnect failed")
