import threading
import time
from collections.abc import Sequence
from typing import Any

import pytest

from rolecall.knowledge import embed
from rolecall.knowledge.embed import BATCH, OutOfTime, embed_all, embed_query, literal
from rolecall.llm import embeddings
from rolecall.llm.access import Access
from rolecall.llm.errors import ModelError, ModelErrorKind

ANY = Access()


class Embedder:
    """Stands where the model is called: a text's vector is its length; fails as often as it is told to."""

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.faults: list[ModelErrorKind] = []
        self.together = self.most = 0
        self.seconds = 0.0
        self._lock = threading.Lock()

    def embed(self, texts: Sequence[str], *, model: str, access: Access) -> list[list[float]]:
        with self._lock:
            self.asked += texts
            self.together += 1
            self.most = max(self.most, self.together)
            fault = self.faults.pop() if self.faults else None
        time.sleep(self.seconds)
        with self._lock:
            self.together -= 1
        if fault:
            raise ModelError(fault)
        return [[float(len(text))] for text in texts]


@pytest.fixture
def embedder(monkeypatch: pytest.MonkeyPatch) -> Embedder:
    made = Embedder()
    monkeypatch.setattr(embeddings, "embed", made.embed)
    monkeypatch.setattr(embed, "LONGEST_PAUSE", 0.01)
    embed._queries.clear()
    return made


def run(texts: Sequence[str], seconds: float = 10, **fields: Any) -> list[list[float]]:
    return embed_all(texts, model="m", access=ANY, deadline=time.monotonic() + seconds, **fields)


def test_vectors_come_in_the_order_of_their_texts(embedder: Embedder) -> None:
    texts = ["x" * at for at in range(1, 48)]
    assert run(texts) == [[float(at)] for at in range(1, 48)]


def test_batches_of_ten_run_in_a_few_threads_that_have_ended_on_return(embedder: Embedder) -> None:
    embedder.seconds = 0.005
    done: list[int] = []
    run(["x"] * 45, on_batch=done.append)
    assert done == [10, 20, 30, 40, 45]
    assert 1 < embedder.most <= embed.THREADS
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("embed")]


@pytest.mark.parametrize("kind", sorted(embed.MAY_RECOVER))
def test_an_outage_is_waited_out(embedder: Embedder, kind: ModelErrorKind) -> None:
    embedder.faults = [kind] * 5
    assert run(["abc"]) == [[3.0]]


def test_an_outage_longer_than_our_patience_is_reported(embedder: Embedder) -> None:
    embedder.faults = [ModelErrorKind.UNAVAILABLE] * 1000
    with pytest.raises(ModelError) as caught:
        run(["abc"], patience=0.05)
    assert caught.value.kind is ModelErrorKind.UNAVAILABLE


@pytest.mark.parametrize("kind", [ModelErrorKind.VALIDATION, ModelErrorKind.ACCESS])
def test_a_refusal_ends_at_once_and_stops_the_other_batches(embedder: Embedder, kind: ModelErrorKind) -> None:
    embedder.faults = [kind]
    embedder.seconds = 0.01
    with pytest.raises(ModelError):
        run(["x"] * 400)
    assert len(embedder.asked) < 400


def test_the_deadline_ends_it(embedder: Embedder) -> None:
    embedder.faults = [ModelErrorKind.UNAVAILABLE] * 1000
    with pytest.raises(OutOfTime):
        run(["abc"], seconds=0.05)


def test_who_counts_the_batches_may_end_the_work(embedder: Embedder) -> None:
    def stop(done: int) -> None:
        raise KeyError(done)

    embedder.seconds = 0.005
    with pytest.raises(KeyError):
        run(["x"] * 50 * BATCH, on_batch=stop)
    assert len(embedder.asked) < 50 * BATCH


def test_a_question_asked_again_is_not_embedded_again(embedder: Embedder) -> None:
    assert embed_query("  Herring?\n", "m", ANY) == embed_query("Herring?", "m", ANY) == [8.0]
    assert embed_query("Herring?", "other", ANY) == [8.0]
    assert embedder.asked == ["Herring?", "Herring?"]


@pytest.mark.parametrize("question", ["", " \n", "\x00", "\u200b"])
def test_nothing_is_asked_of_the_embedder_where_nothing_is_asked(embedder: Embedder, question: str) -> None:
    assert embed_query(question, "m", ANY) is None
    assert embedder.asked == []


def test_the_cache_forgets_the_least_used_and_the_old() -> None:
    now = [0.0]
    cache = embed._QueryCache(2, 300, lambda: now[0])
    for name in "ab":
        cache.put(("m", name), [1.0])
    assert cache.get(("m", "a"))
    cache.put(("m", "c"), [1.0])
    assert [bool(cache.get(("m", name))) for name in "abc"] == [True, False, True]
    now[0] = 300
    assert cache.get(("m", "a")) is None


def test_a_vector_is_written_as_pgvector_reads_it() -> None:
    assert literal([1.0, -0.25, 1e-9, 0.123456789]) == "[1,-0.25,1e-09,0.12346]"
