"""Sockets that remember what was posted, and can be gone or throttled."""

import json
from collections import defaultdict
from typing import Any

from rolecall.aws.sockets import Delivery, Sockets


class FakeSockets(Sockets):
    """Keeps frames by connection."""

    def __init__(self) -> None:
        super().__init__("")
        self.posted: dict[str, list[dict[str, Any]]] = defaultdict(list)
        self.gone: set[str] = set()
        self.throttle = 0
        self.sizes: list[int] = []

    def post(self, connection_id: str, payload: str) -> Delivery:
        if self.throttle > 0:
            self.throttle -= 1
            return Delivery.THROTTLED
        if connection_id in self.gone:
            return Delivery.GONE
        self.posted[connection_id].append(json.loads(payload))
        self.sizes.append(len(payload.encode()))
        return Delivery.SENT

    def text(self, connection_id: str) -> str:
        """The answer's text as this connection saw it."""
        return "".join(f["delta"] for f in self.posted[connection_id] if f["type"] == "ChatChunk")
