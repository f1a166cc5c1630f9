"""The open sockets, their times, and what may be said to them from other threads."""

import asyncio
import base64
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from websockets.asyncio.server import ServerConnection
from websockets.exceptions import ConnectionClosed

Clock = Callable[[], float]
"""Returns Unix time."""

SEND_SECONDS = 10
"""A client that takes no bytes for this long is given up."""


def new_connection_id() -> str:
    """Make an id in API Gateway's form."""
    return base64.urlsafe_b64encode(secrets.token_bytes(11)).decode()


@dataclass(eq=False)
class Connection:
    """One client's socket."""

    socket: ServerConnection
    connected_at: float
    source_ip: str
    user_agent: str
    authorizer: dict[str, str | int] = field(default_factory=dict)
    """What the authorizer said, all of it text, as later events repeat it."""
    subprotocol: str | None = None
    connection_id: str = field(default_factory=new_connection_id)
    last_active: float = 0

    def __post_init__(self) -> None:
        self.last_active = self.connected_at

    async def send(self, message: str | bytes, *, text: bool) -> bool:
        """Send one message; say whether the socket took it."""
        try:
            await asyncio.wait_for(self.socket.send(message, text=text), SEND_SECONDS)
        except ConnectionClosed:
            return False
        except TimeoutError:
            await self.socket.close(1001, "too slow")
            return False
        return True


class Registry:
    """Connections by id. The event loop changes it; other threads read it."""

    def __init__(self, clock: Clock | None = None) -> None:
        self.now: Clock = clock or time.time
        self._open: dict[str, Connection] = {}

    def add(self, connection: Connection) -> None:
        """Let others post to a connection."""
        self._open[connection.connection_id] = connection

    def remove(self, connection: Connection) -> bool:
        """Forget a connection; say whether it was open."""
        return self._open.pop(connection.connection_id, None) is not None

    def get(self, connection_id: str) -> Connection | None:
        """Find an open connection."""
        return self._open.get(connection_id)

    def touch(self, connection: Connection) -> None:
        """Note that something was said or heard."""
        connection.last_active = self.now()

    def expired(self, idle_seconds: float, age_seconds: float) -> list[Connection]:
        """Return the connections that were silent or open for too long."""
        now = self.now()
        return [
            connection
            for connection in list(self._open.values())
            if now - connection.last_active >= idle_seconds or now - connection.connected_at >= age_seconds
        ]
