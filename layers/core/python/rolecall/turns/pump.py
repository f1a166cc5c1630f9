"""Reads a model's stream in a thread, so that its reader can wait with a time limit. It ends with its block."""

import queue
import threading
from types import TracebackType
from typing import Self

from rolecall.llm.client import ModelStream
from rolecall.llm.stream import StreamEvent


class Pump:
    """`with Pump(stream) as pump:` then `get`; leaving the block closes the stream and the thread."""

    def __init__(self, stream: ModelStream) -> None:
        self._stream = stream
        self._queue: queue.SimpleQueue[StreamEvent | BaseException] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._read, name="model-stream")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._stream.close()
        self._thread.join()

    def get(self, timeout: float) -> StreamEvent | None:
        """Return the next event, or None when none came in `timeout` seconds.

        Raises:
            EndOfStream: after the last event.
            ModelError: what the stream raised.
        """
        try:
            item = self._queue.get(timeout=max(timeout, 0.001))
        except queue.Empty:
            return None
        if isinstance(item, BaseException):
            raise item
        return item

    def _read(self) -> None:
        try:
            for event in self._stream:
                self._queue.put(event)
        except BaseException as error:  # noqa: BLE001 - raised again where it is read
            self._queue.put(error)
        else:
            self._queue.put(EndOfStream())


class EndOfStream(Exception):
    """The stream has no more events."""
