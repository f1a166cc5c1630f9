"""A client of the WebSocket protocol: requests with replies, and turns that survive a lost socket."""

import json
import time
from collections import deque
from collections.abc import Iterator
from contextlib import ExitStack
from types import TracebackType
from typing import Any, Final, Self
from uuid import uuid4

from websockets.exceptions import ConnectionClosed
from websockets.sync.client import ClientConnection, connect
from websockets.typing import Subprotocol

from rolecall.protocol.events import TERMINAL
from rolecall.protocol.limits import SUBPROTOCOL

Json = dict[str, Any]
RECONNECT_TRIES: Final = 5
IMPATIENT_SECONDS: Final = 1.5
"""The same, where a number is missing."""
QUIET_SECONDS: Final = 10.0
"""Silence after which a client asks whether the turn still goes on."""


class RequestFailed(Exception):
    """The server answered with an error; `code` and `hint` say what to do."""

    def __init__(self, error: Json) -> None:
        super().__init__(error.get("message", "The request failed."))
        self.code: str = error.get("code", "UNKNOWN")
        self.hint: str = error.get("recoveryHint", "")


class Client:
    """One person's connection. Not for several threads at once."""

    def __init__(self, url: str, token: str) -> None:
        self._url, self._token = url, token
        self._socket: ClientConnection | None = None
        self._opened = ExitStack()
        self._events: deque[Json] = deque()
        self._parts: dict[str, dict[int, Json]] = {}

    def __enter__(self) -> Self:
        self.connect()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def connect(self) -> None:
        """Open the socket, or a new one."""
        self.close()
        protocols = [Subprotocol(SUBPROTOCOL), Subprotocol(self._token)]
        opening = connect(self._url, subprotocols=protocols, ping_interval=None, max_size=None)
        self._socket = self._opened.enter_context(opening)

    def close(self) -> None:
        """Close the socket."""
        self._socket = None
        self._opened.close()

    def request(self, action: str, *, timeout: float = 30, request_id: str | None = None, **fields: Any) -> Json:
        """Send a request and return its reply's data; events that come meanwhile are kept.

        Raises:
            RequestFailed: the reply is an error.
            TimeoutError: no reply came.
        """
        request_id = request_id or str(uuid4())
        self._send({"action": action, "requestId": request_id, **fields})
        deadline = time.monotonic() + timeout
        while True:
            frame = self._receive(deadline - time.monotonic())
            if frame is None and time.monotonic() > deadline:
                raise TimeoutError(f"{action} was not answered")
            if frame is None:
                continue
            if frame.get("requestId") != request_id:
                self._events.append(frame)
            elif frame.get("type") == "Error":
                raise RequestFailed(frame)
            else:
                data: Json = frame.get("data", {})
                return data

    def chat(
        self, conversation_id: str, content: str, *, message_id: str | None = None, **fields: Any
    ) -> Iterator[Json]:
        """Send a message and yield its turn's events in order, each once, to the terminal one.

        Raises:
            RequestFailed: the message was refused; it can be sent again under the same id.
        """
        request_id = str(uuid4())
        message = {"conversationId": conversation_id, "messageId": message_id or str(uuid4()), "content": content}
        sent = self.request("agentChat", request_id=request_id, **message, **fields)
        yield from self.follow(sent["turnId"], 0, request_id=request_id)

    def resume(self, turn_id: str, after: int = 0) -> Iterator[Json]:
        """Yield the events of a turn that was begun elsewhere, those after `after`, in order.

        Raises:
            RequestFailed: there is no such turn.
        """
        yield from self.follow(turn_id, after, resume=True)

    def follow(
        self, turn_id: str, after: int, *, request_id: str | None = None, resume: bool = False
    ) -> Iterator[Json]:
        """Yield a turn's events after `after`; a lost socket or a lost frame is made up for by resuming.

        Raises:
            RequestFailed: the message (`request_id`) was refused, or the turn cannot be resumed.
        """
        waiting: dict[int, Json] = {}
        asked = float("-inf") if resume else time.monotonic()
        requests = {request_id} if request_id else set()
        while True:
            patience = IMPATIENT_SECONDS if waiting else QUIET_SECONDS
            try:
                if time.monotonic() - asked > patience:
                    asked = time.monotonic()
                    requests.add(self._ask_again(turn_id, after))
                event = self._next_event(turn_id, requests, 1.0)
            except ConnectionClosed:
                self._reconnect()
                event, asked = None, float("-inf")
            if event is not None and event["seq"] > after:
                waiting.setdefault(event["seq"], event)
            while after + 1 in waiting:
                after += 1
                found = waiting.pop(after)
                asked = max(asked, time.monotonic())
                yield found
                if found["type"] in TERMINAL:
                    return

    def _ask_again(self, turn_id: str, after: int) -> str:
        request_id = str(uuid4())
        self._send({"action": "resumeTurn", "requestId": request_id, "turnId": turn_id, "afterSeq": after})
        return request_id

    def next_frame(self, kind: str, timeout: float) -> Json | None:
        """Return the next frame of a type, kept or new, or None when none comes in time; others are kept."""
        for frame in self._events:
            if frame.get("type") == kind:
                self._events.remove(frame)
                return frame
        frame = self._receive(timeout)
        if frame is not None and frame.get("type") != kind:
            self._events.append(frame)
            return None
        return frame

    def _next_event(self, turn_id: str, requests: set[str], timeout: float) -> Json | None:
        frame = self._take(turn_id, requests) or self._receive(timeout)
        if frame is None:
            return None
        if frame.get("type") == "Error" and frame.get("requestId") in requests:
            raise RequestFailed(frame)
        return frame if _is_event_of(frame, turn_id) else None

    def _take(self, turn_id: str, requests: set[str]) -> Json | None:
        for frame in self._events:
            refused = frame.get("type") == "Error" and frame.get("requestId") in requests
            if refused or _is_event_of(frame, turn_id):
                self._events.remove(frame)
                return frame
        return None

    def _reconnect(self) -> None:
        for attempt in range(RECONNECT_TRIES):
            try:
                self.connect()
            except OSError:
                if attempt == RECONNECT_TRIES - 1:
                    raise
                time.sleep(0.2 * 2**attempt)
            else:
                return

    def _send(self, body: Json) -> None:
        if self._socket is None:
            self.connect()
        assert self._socket is not None
        self._socket.send(json.dumps(body, ensure_ascii=False))

    def _receive(self, timeout: float) -> Json | None:
        assert self._socket is not None
        try:
            text = self._socket.recv(timeout=max(timeout, 0.001))
        except TimeoutError:
            return None
        frame: Json = json.loads(text)
        return self._joined(frame) if frame.get("type") == "Part" else frame

    def _joined(self, part: Json) -> Json | None:
        """Keep a part; return the frame once all of them are there."""
        parts = self._parts.setdefault(part["partOf"], {})
        parts[part["index"]] = part
        if not any(each["last"] for each in parts.values()) or len(parts) <= max(parts):
            return None
        del self._parts[part["partOf"]]
        whole: Json = json.loads("".join(parts[index]["text"] for index in sorted(parts)))
        return whole


def _is_event_of(frame: Json, turn_id: str) -> bool:
    return frame.get("turnId") == turn_id and "seq" in frame
