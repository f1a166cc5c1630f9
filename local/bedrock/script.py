"""What the next requests get instead of the offline model's own answer: faults and scripted answers, for tests."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from local.bedrock.answer import CallTool, Say, Think


@dataclass(frozen=True)
class Fail:
    """Refuse the request with an error of Bedrock's."""

    code: str = "ServiceUnavailableException"
    status: int = 503
    message: str = "Bedrock is unable to process your request."
    times: int = 1


@dataclass(frozen=True)
class Throttle(Fail):
    """Refuse with ThrottlingException, as often as `times` says."""

    times: int = 1
    code: str = "ThrottlingException"
    status: int = 429
    message: str = "Too many requests, please wait before trying again."


@dataclass(frozen=True)
class StreamError:
    """Send an error event after so many deltas."""

    after_chunks: int = 3
    code: str = "modelStreamErrorException"
    message: str = "The model had an error while streaming."


@dataclass(frozen=True)
class TruncateStream:
    """End the stream after so many deltas without messageStop; `mid_frame` cuts through a frame."""

    after_chunks: int = 3
    mid_frame: bool = False


@dataclass(frozen=True)
class StopAt:
    """Stop for this reason: inside the first call's JSON, or after so many deltas of text."""

    reason: str
    inside_tool: bool = False
    after_chunks: int = 3


@dataclass(frozen=True)
class Delay:
    """Wait before the answer starts."""

    seconds: float


@dataclass(frozen=True)
class Hang:
    """Send so many deltas and then nothing more, until the client or the server goes."""

    after_chunks: int = 0


Step = Fail | StreamError | TruncateStream | StopAt | Delay | Hang | Say | Think | CallTool
Predicate = Callable[[dict[str, Any]], bool]


@dataclass
class _Entry:
    steps: tuple[Step, ...]
    when: Predicate | None
    small: bool
    left: int


class Script:
    """Entries for requests to come, each used once (a `Fail` as often as it says), first in, first out."""

    def __init__(self) -> None:
        self._entries: list[_Entry] = []
        self._lock = threading.Lock()

    def push(self, *steps: Step, when: Predicate | None = None, small: bool = False) -> None:
        """Add what one request gets: `Say`, `Think` and `CallTool` are its answer, the rest happens to it.

        Args:
            steps: all for the same request.
            when: take the entry only for a request for which this is true (default: the next one).
            small: the entry is for the small offline model, whose calls come when they like; else for any other.
        """
        times = max((step.times for step in steps if isinstance(step, Fail)), default=1)
        with self._lock:
            self._entries.append(_Entry(steps, when, small, times))

    def take(self, request: dict[str, Any], *, small: bool = False) -> tuple[Step, ...]:
        """Return the steps for a request; none when the offline model shall answer."""
        with self._lock:
            mine = (entry for entry in self._entries if entry.small is small)
            entry = next((entry for entry in mine if entry.when is None or entry.when(request)), None)
            if entry is None:
                return ()
            entry.left -= 1
            if entry.left <= 0:
                self._entries.remove(entry)
            return entry.steps

    def clear(self) -> None:
        """Forget all entries."""
        with self._lock:
            self._entries.clear()

    def __len__(self) -> int:
        return len(self._entries)
