"""Vectors of chunks and of questions: in parallel, cached, and patient with an endpoint that is down for a while."""

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

from rolecall.knowledge.clean import as_query
from rolecall.llm import embeddings
from rolecall.llm.access import Access
from rolecall.llm.errors import ModelError, ModelErrorKind

Vector = list[float]

BATCH: Final = 10
THREADS: Final = 4
PATIENCE_SECONDS: Final = 150.0
"""How long an endpoint may be down before a document is left for its next try."""
LONGEST_PAUSE: Final = 10.0
QUERY_ENTRIES: Final = 100
QUERY_SECONDS: Final = 300.0
MAY_RECOVER: Final = frozenset(
    {ModelErrorKind.THROTTLED, ModelErrorKind.UNAVAILABLE, ModelErrorKind.STREAM, ModelErrorKind.TIMEOUT}
)


class OutOfTime(Exception):
    """The deadline came before all was embedded."""


def embed_all(
    texts: Sequence[str],
    *,
    model: str,
    access: Access,
    deadline: float,
    on_batch: Callable[[int], None] = lambda _done: None,
    patience: float = PATIENCE_SECONDS,
) -> list[Vector]:
    """Return a vector for each text, in order; batches of 10 run in a few threads, all ended on return.

    Args:
        texts: What to embed; none blank.
        model: The embedder.
        access: How it is reached.
        deadline: `time.monotonic()` at which to give up.
        on_batch: Told how many texts are done, in the caller's thread; what it raises ends the work.
        patience: Seconds for which failures of the endpoint are waited out.

    Raises:
        ModelError: refused, or down for longer than `patience`.
        OutOfTime: the deadline came.
    """
    stop = threading.Event()
    batches = [texts[at : at + BATCH] for at in range(0, len(texts), BATCH)]
    vectors: list[Vector] = []
    together = embeddings.together(model)

    def work(batch: Sequence[str]) -> list[Vector]:
        calls = (batch[at : at + together] for at in range(0, len(batch), together))
        return [vector for texts in calls for vector in _patiently(texts, model, access, deadline, patience, stop)]

    with ThreadPoolExecutor(THREADS, thread_name_prefix="embed") as pool:
        try:
            for done in pool.map(work, batches):
                vectors += done
                on_batch(len(vectors))
        finally:
            stop.set()
            pool.shutdown(cancel_futures=True)
    return vectors


def _patiently(
    texts: Sequence[str], model: str, access: Access, deadline: float, patience: float, stop: threading.Event
) -> list[Vector]:
    pause, failing_since = 0.5, None
    while not stop.is_set():
        now = time.monotonic()
        if now > deadline:
            raise OutOfTime
        try:
            return embeddings.embed(texts, model=model, access=access)
        except ModelError as error:
            failing_since = failing_since or now
            if error.kind not in MAY_RECOVER or time.monotonic() - failing_since > patience:
                raise
        stop.wait(min(pause, max(deadline - time.monotonic(), 0)))
        pause = min(pause * 2, LONGEST_PAUSE)
    raise OutOfTime


class _QueryCache:
    """The last vectors of questions, for a while."""

    def __init__(self, entries: int, seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
        self._entries, self._seconds, self._clock = entries, seconds, clock
        self._kept: OrderedDict[tuple[str, str], tuple[float, Vector]] = OrderedDict()
        self._lock = threading.Lock()

    def get(self, key: tuple[str, str]) -> Vector | None:
        with self._lock:
            until, vector = self._kept.get(key, (float("-inf"), []))
            if until <= self._clock():
                self._kept.pop(key, None)
                return None
            self._kept.move_to_end(key)
            return vector

    def put(self, key: tuple[str, str], vector: Vector) -> None:
        with self._lock:
            self._kept[key] = (self._clock() + self._seconds, vector)
            self._kept.move_to_end(key)
            while len(self._kept) > self._entries:
                self._kept.popitem(last=False)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


_queries = _QueryCache(QUERY_ENTRIES, QUERY_SECONDS)


def embed_query(text: str, model: str, access: Access) -> Vector | None:
    """Return a question's vector, from the cache if it was asked before; None where nothing is asked.

    Raises:
        ModelError: the embedder failed; a search without a vector still matches words.
    """
    query = as_query(text)
    if not query:
        return None
    vector = _queries.get((model, query))
    if vector is None:
        vector = embeddings.embed([query], model=model, access=access)[0]
        _queries.put((model, query), vector)
    return vector


def literal(vector: Sequence[float]) -> str:
    """Write a vector as pgvector reads it; a halfvec keeps no more digits than these."""
    return "[" + ",".join(_numbers(vector)) + "]"


def _numbers(vector: Sequence[float]) -> Iterator[str]:
    return (f"{number:.5g}" for number in vector)
