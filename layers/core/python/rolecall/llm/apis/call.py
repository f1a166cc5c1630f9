"""One call to a house: an asynchronous client driven by a synchronous reader, on an event loop of the call's own."""

import asyncio
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from pydantic_ai.direct import model_request_stream

from rolecall.llm.access import Access
from rolecall.llm.apis.answer import Answer
from rolecall.llm.apis.failures import Failures
from rolecall.llm.apis.history import messages_of
from rolecall.llm.apis.house import House
from rolecall.llm.apis.sockets import http_client
from rolecall.llm.apis.wishes import settings_of, tools_of
from rolecall.llm.known import about
from rolecall.llm.stream import StreamEvent
from rolecall.llm.types import ConverseRequest


@dataclass(frozen=True, slots=True)
class Call:
    """What is asked of whom."""

    house: House
    model: str
    request: ConverseRequest
    access: Access
    read_timeout: float

    @property
    def failures(self) -> Failures:
        """Translates what goes wrong."""
        return Failures(self.house.name, self.model, self.access)


class ApiStream:
    """An answer on its way. The loop runs only while the reader waits, so nothing of it outlives the iteration."""

    def __init__(self, call: Call) -> None:
        self._call = call
        self._lock = threading.Lock()
        self._closed = threading.Event()
        self._cancel: Callable[[], object] | None = None

    def __iter__(self) -> Iterator[StreamEvent]:
        loop = asyncio.new_event_loop()
        try:
            yield from self._read(loop)
        finally:
            # An SDK's generators lie in one another, and complain of being closed in any order but theirs.
            loop.set_exception_handler(lambda _loop, _context: None)
            loop.run_until_complete(loop.shutdown_asyncgens())
            loop.run_until_complete(loop.shutdown_default_executor())  # names are looked up in its threads
            loop.close()

    def close(self) -> None:
        """Cancel the call; a waiting reader wakes, its iteration ends and frees the connection."""
        with self._lock:
            self._closed.set()
            if self._cancel:
                self._cancel()

    def _read(self, loop: asyncio.AbstractEventLoop) -> Iterator[StreamEvent]:
        events: asyncio.Queue[StreamEvent | None] = asyncio.Queue()
        task = loop.create_task(_ask(self._call, events))
        with self._lock:
            self._cancel = lambda: loop.call_soon_threadsafe(task.cancel)
            if self._closed.is_set():
                task.cancel()
        try:
            while (event := loop.run_until_complete(events.get())) is not None:
                yield event
        finally:
            with self._lock:
                self._cancel = None
            task.cancel()
            (failure,) = loop.run_until_complete(asyncio.gather(task, return_exceptions=True))
        if failure is not None and not self._closed.is_set():
            # Not chained: the cause quotes what the house said, and tracebacks are logged.
            raise self._call.failures.translated(failure) or failure from None


async def _ask(call: Call, events: "asyncio.Queue[StreamEvent | None]") -> None:
    begun = time.monotonic()
    taken = {
        block["toolUse"]["toolUseId"]
        for message in call.request["messages"]
        for block in message["content"]
        if "toolUse" in block
    }
    answer = Answer(taken)
    try:
        async with contextlib.AsyncExitStack() as stack:
            client = await stack.enter_async_context(http_client(call.read_timeout))
            stream = await stack.enter_async_context(
                model_request_stream(
                    call.house.build(call.model, call.access, client),
                    messages_of(call.request, call.house),
                    model_settings=settings_of(call.request, call.house, call.model),
                    model_request_parameters=tools_of(call.request),
                    instrument=False,
                )
            )
            async for event in stream:
                for ours in answer.feed(event):
                    events.put_nowait(ours)
            for ours in answer.finish(stream.get(), int((time.monotonic() - begun) * 1000)):
                events.put_nowait(ours)
    finally:
        events.put_nowait(None)


def open_call(house: House, model: str, request: ConverseRequest, *, access: Access, read_timeout: float) -> ApiStream:
    """Prepare a call; it is made when the stream is read. Raises ModelError where a key is missing."""
    call = Call(house, model, request, access, read_timeout)
    if about(house.name).needs_key and not access.api_key and not access.base_url:
        raise call.failures.no_key()
    return ApiStream(call)
