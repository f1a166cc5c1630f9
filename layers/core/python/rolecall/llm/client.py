"""Calling a model: the one place that retries, and that never repeats what a reader has already seen."""

import random
import threading
from collections.abc import Generator, Iterator
from contextlib import closing

from rolecall.llm import gate, registry
from rolecall.llm.access import Access
from rolecall.llm.errors import ModelError
from rolecall.llm.registry import ProviderStream
from rolecall.llm.specs import ModelSpec
from rolecall.llm.stream import Finished, Restarted, StreamEvent, TextDelta
from rolecall.llm.types import ConverseRequest

FIRST_DELAY_SECONDS = 0.5
MAX_DELAY_SECONDS = 8.0


def backoff(attempt: int) -> float:
    """Return the seconds to wait after the attempt of this number (from 1): exponential, with full jitter."""
    ceiling = min(MAX_DELAY_SECONDS, FIRST_DELAY_SECONDS * float(2 ** (attempt - 1)))
    return ceiling * random.random()  # noqa: S311


class ModelStream:
    """A model's answer: iterate it once; `close` from any thread ends the iteration early, without `Finished`."""

    def __init__(
        self, spec: ModelSpec, request: ConverseRequest, *, access: Access, read_timeout: float, attempts: int
    ) -> None:
        self._spec, self._request = spec, gate.legal(request)
        self._access, self._read_timeout, self._attempts = access, read_timeout, attempts
        self._closed = threading.Event()
        self._current: ProviderStream | None = None
        self._lock = threading.Lock()
        self._events = self._run()

    def __iter__(self) -> Iterator[StreamEvent]:
        return self

    def __next__(self) -> StreamEvent:
        return next(self._events)

    def close(self) -> None:
        """Stop: a waiting reader wakes and its iteration ends; a stream that has ended is left alone."""
        with self._lock:
            self._closed.set()
            if self._current is not None:
                self._current.close()

    def _run(self) -> Iterator[StreamEvent]:
        for attempt in range(1, self._attempts + 1):
            begun = said = False
            try:
                with closing(self._attempt()) as events:
                    for event in events:
                        if self._closed.is_set():
                            return
                        begun, said = True, said or isinstance(event, TextDelta | Finished)
                        yield event
            except ModelError as error:
                if said or not error.retryable or attempt == self._attempts:
                    raise
            else:
                return
            if begun:
                yield Restarted()
            if self._closed.wait(backoff(attempt)):
                return

    def _attempt(self) -> Generator[StreamEvent]:
        if self._closed.is_set():
            return
        stream = registry.provider(self._spec.provider).open_stream(
            self._spec.model, self._request, access=self._access, read_timeout=self._read_timeout
        )
        with self._lock:
            self._current = stream
            if self._closed.is_set():
                stream.close()
        try:
            yield from stream
        finally:
            with self._lock:
                self._current = None


def converse_stream(
    spec: ModelSpec,
    request: ConverseRequest,
    *,
    access: Access,
    read_timeout: float = 60,
    attempts: int = 4,
) -> ModelStream:
    """Stream a model's answer, `Finished` last.

    Throttling, an unavailable service and a broken connection are retried with backoff, but only while none of the
    answer's text was yielded; where reasoning was, `Restarted` says that it is void.

    Args:
        spec: the model.
        request: the request; where it breaks `rolecall.llm.contract` it is repaired first.
        access: how the provider is reached.
        read_timeout: seconds without a byte after which the call fails.
        attempts: tries in all.

    Raises:
        ModelError: while iterating.
    """
    return ModelStream(spec, request, access=access, read_timeout=read_timeout, attempts=attempts)


def converse_once(
    spec: ModelSpec,
    request: ConverseRequest,
    *,
    access: Access,
    read_timeout: float = 60,
    attempts: int = 4,
) -> Finished:
    """Return a model's whole answer, for side calls such as titles; retried like `converse_stream`.

    Nobody has seen anything of it, so a stream that breaks half-way is asked for again as well.
    """
    for attempt in range(1, attempts + 1):
        stream = converse_stream(spec, request, access=access, read_timeout=read_timeout, attempts=1)
        try:
            if (finished := last(stream)) is not None:
                return finished
            raise AssertionError("a stream that is not closed ends with Finished or raises")
        except ModelError as error:
            if not error.retryable or attempt == attempts:
                raise
        threading.Event().wait(backoff(attempt))
    raise ValueError("attempts must be at least 1")


def last(stream: ModelStream) -> Finished | None:
    """Read a stream to its very end, so that nothing of it waits to be collected; None where it was closed."""
    return next(iter([event for event in stream if isinstance(event, Finished)]), None)
