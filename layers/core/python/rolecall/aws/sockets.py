"""Posting to WebSocket connections, and who is connected."""

import time
from collections.abc import Iterable
from enum import Enum

from rolecall.aws import clients
from rolecall.aws.live import LiveTable, Write
from rolecall.ids import UserId
from rolecall.protocol.events import Frame
from rolecall.protocol.limits import CONNECTION_SECONDS


class Delivery(Enum):
    """What became of a post."""

    SENT = "sent"
    GONE = "gone"
    THROTTLED = "throttled"
    FAILED = "failed"


class Sockets:
    """The `@connections` API of one stage. A post never raises: the socket is a lossy tail of the log."""

    def __init__(self, url: str) -> None:
        self._url = url

    def post(self, connection_id: str, payload: str) -> Delivery:
        """Post one frame."""
        from botocore.exceptions import BotoCoreError, ClientError

        client = clients.connections(self._url)
        try:
            client.post_to_connection(ConnectionId=connection_id, Data=payload.encode())
        except client.exceptions.GoneException:
            return Delivery.GONE
        except client.exceptions.LimitExceededException:
            return Delivery.THROTTLED
        except ClientError as error:
            code = error.response["Error"]["Code"]
            return Delivery.GONE if code in {"410", "BadRequestException"} else Delivery.FAILED
        except BotoCoreError:
            return Delivery.FAILED
        return Delivery.SENT

    def send(self, connection_id: str, frame: Frame) -> Delivery:
        """Post one frame, given as its model."""
        return self.post(connection_id, frame.encoded())


def remember(live: LiveTable, user: UserId, connection_id: str) -> None:
    """Note a connection of a user; it forgets itself after the longest life of a connection."""
    live.write(
        Write(
            verb="Put",
            key=(f"USER#{user}", f"CONN#{connection_id}"),
            item={"expires_at": int(time.time()) + CONNECTION_SECONDS},
        )
    )


def forget(live: LiveTable, user: UserId, connection_id: str) -> None:
    """Drop a connection that has ended."""
    live.write(Write(verb="Delete", key=(f"USER#{user}", f"CONN#{connection_id}")))


def connections_of(live: LiveTable, user: UserId) -> Iterable[str]:
    """Ids of a user's connections that should still be open."""
    now = time.time()
    for item in live.query(f"USER#{user}", first="CONN#", last="CONN#\uffff"):
        if item["expires_at"] > now:
            yield item["sk"].removeprefix("CONN#")


def tell(live: LiveTable, sockets: Sockets, user: UserId, frame: Frame, *, besides: str | None = None) -> None:
    """Post a frame to every open connection of a user but `besides`; those that are gone are forgotten."""
    for connection_id in list(connections_of(live, user)):
        if connection_id != besides and sockets.send(connection_id, frame) is Delivery.GONE:
            forget(live, user, connection_id)
