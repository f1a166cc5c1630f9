"""Coalescing, numbering, posting and keeping of events."""

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rolecall.aws.live import LiveTable
from rolecall.errors import ErrorCode
from rolecall.protocol.events import (
    ChatChunk,
    ChatComplete,
    ChatError,
    ChatProcessing,
    ChatToolCall,
    ChatToolResult,
    TurnEvent,
)
from rolecall.protocol.limits import POST_BYTES
from rolecall.turns import lease, log
from rolecall.turns.frames import fit, split_delta
from rolecall.turns.models import TurnRef
from rolecall.turns.sender import Sender, watch
from tests.fakes.sockets import FakeSockets


class Clock:
    """Time that moves when told."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def sender(live: LiveTable, sockets: FakeSockets, turn: TurnRef, clock: Clock) -> Sender:
    lease.claim(live, turn, watcher="c1", first_seq=0, ttl=600)
    return Sender(live, sockets, turn, ttl=600, clock=clock, sleep=lambda _: None)


def stream(sender: Sender, clock: Clock, tokens: int, per_second: float) -> None:
    for number in range(tokens):
        sender.text(f"w{number} ")
        clock.now += 1 / per_second


def complete() -> ChatComplete:
    return ChatComplete(message_id="m", content="x", input_tokens=1, output_tokens=1, total_time_ms=1)


def test_the_first_delta_is_posted_at_once(sender: Sender, sockets: FakeSockets) -> None:
    sender.text("Hel")

    assert [(frame["seq"], frame["delta"]) for frame in sockets.posted["c1"]] == [(1, "Hel")]


def test_the_first_delta_does_not_wait_for_an_event_before_it(
    live: LiveTable, sockets: FakeSockets, turn: TurnRef, clock: Clock
) -> None:
    lease.claim(live, turn, watcher="c1", first_seq=2, ttl=600)
    opening = log.Block(1, frozenset({"c1"}), 2)
    sender = Sender(live, sockets, turn, ttl=600, clock=clock, opening=opening)
    with sender.meanwhile(ChatProcessing(message="accepted")):
        pass
    sender.text("Hel")
    sender.end(complete())

    frames = sockets.posted["c1"]
    assert [(frame["type"], frame["seq"]) for frame in frames] == [
        ("ChatProcessing", 1),
        ("ChatChunk", 2),
        ("ChatComplete", 3),
    ]


@pytest.mark.parametrize("said", [0, 1, 3])
def test_a_turn_that_ends_early_has_no_gap_in_its_numbers(
    live: LiveTable, sockets: FakeSockets, turn: TurnRef, clock: Clock, said: int
) -> None:
    lease.claim(live, turn, watcher="c1", first_seq=2, ttl=600)
    sender = Sender(live, sockets, turn, ttl=600, clock=clock, opening=log.Block(1, frozenset({"c1"}), 2))
    for _ in range(said):
        sender.emit(ChatProcessing(message="x"))
    sender.end(complete())

    assert [frame.seq for frame in log.read(live, turn.turn_id)] == list(range(1, said + 2))
    assert (lease.read(live, turn.turn_id) or {})["state"] == "ENDED"


def test_deltas_at_seventy_tokens_a_second_take_ten_times_fewer_posts(
    sender: Sender, sockets: FakeSockets, clock: Clock
) -> None:
    stream(sender, clock, 700, 70)
    sender.end(complete())

    assert sockets.text("c1") == "".join(f"w{number} " for number in range(700))
    assert len(sockets.posted["c1"]) <= 70


def test_no_delta_waits_longer_than_a_fifth_of_a_second(sender: Sender, clock: Clock) -> None:
    stream(sender, clock, 100, 70)
    sender.text("tail")

    assert sender.wait() <= 0.2


def test_a_waiting_delta_is_posted_when_its_time_comes(sender: Sender, sockets: FakeSockets, clock: Clock) -> None:
    sender.text("a")
    sender.text("b")
    assert sockets.text("c1") == "a"

    clock.now += sender.wait()
    sender.tick()

    assert sockets.text("c1") == "ab"


def test_events_keep_their_order_with_the_deltas_before_them(
    sender: Sender, sockets: FakeSockets, clock: Clock
) -> None:
    sender.text("one")
    sender.text(" two")
    sender.reasoning("thinking")
    sender.emit(ChatToolCall(tool_call_id="t", tool_name="n", tool_type="GET_ME", input_data={}))

    frames = sockets.posted["c1"]
    assert [frame["type"] for frame in frames] == ["ChatChunk", "ChatChunk", "ChatReasoningChunk", "ChatToolCall"]
    assert [frame["seq"] for frame in frames] == [1, 2, 3, 4]


def test_a_watcher_that_is_gone_does_not_stop_the_others(
    live: LiveTable, sender: Sender, sockets: FakeSockets, clock: Clock
) -> None:
    assert watch(live, sender.turn, "c2", most=10)
    sockets.gone.add("c1")
    stream(sender, clock, 20, 10)
    sender.end(complete())

    assert sockets.text("c2") == "".join(f"w{number} " for number in range(20))
    assert (lease.read(live, sender.turn.turn_id) or {})["watchers"] == {"c2"}


def test_a_turn_has_at_most_ten_watchers_and_an_old_one_may_come_again(live: LiveTable, sender: Sender) -> None:
    added = [watch(live, sender.turn, f"w{number}", most=10) for number in range(12)]

    assert added == [True] * 9 + [False] * 3
    assert watch(live, sender.turn, "w3", most=10)


def test_a_throttled_socket_slows_the_posts_and_loses_nothing(
    sender: Sender, sockets: FakeSockets, clock: Clock
) -> None:
    sockets.throttle = 2
    sender.text("a")
    sender.text("b")

    assert sockets.text("c1") == "a"
    assert sender.wait() > 0.1
    sender.end(complete())
    assert sockets.text("c1") == "ab"


def test_what_was_posted_is_in_the_log_within_half_a_second(live: LiveTable, sender: Sender, clock: Clock) -> None:
    stream(sender, clock, 35, 70)
    clock.now += 0.5
    sender.tick()

    assert log.unsaved_text(log.read(live, sender.turn.turn_id)).startswith("w0 w1 w2 ")
    posted = lease.read(live, sender.turn.turn_id)
    assert posted is not None
    assert len(log.read(live, sender.turn.turn_id)) >= posted["seq"] - 1


def test_the_log_replays_everything_after_a_number_to_the_end(live: LiveTable, sender: Sender, clock: Clock) -> None:
    stream(sender, clock, 50, 20)
    sender.end(complete())

    frames = log.read(live, sender.turn.turn_id)
    assert [frame.seq for frame in frames] == list(range(1, len(frames) + 1))
    assert json.loads(frames[-1].text)["type"] == "ChatComplete"
    assert log.read(live, sender.turn.turn_id, after=frames[-3].seq) == frames[-2:]


def test_a_cancelled_turn_stops_its_writer_within_a_second_of_silence(
    live: LiveTable, sender: Sender, clock: Clock
) -> None:
    sender.text("a")
    lease.take_over(live, sender.turn, only_dead=False)

    assert sender.wait() <= 1.0
    clock.now += 1.0
    with pytest.raises(log.Fenced):
        sender.tick()


def test_numbers_lost_with_their_writer_are_filled_and_a_late_writer_changes_nothing(
    live: LiveTable, sender: Sender, clock: Clock
) -> None:
    sender.text("kept")
    sender.write_log()
    lost = log.reserve(live, sender.turn, 2)
    taken = lease.take_over(live, sender.turn, only_dead=False)
    assert taken is not None
    log.fill_gaps(live, taken.turn_id, upto=3, ttl=60)
    late = ChatChunk(delta="late", chunk_index=0, seq=lost.first, turn_id=str(taken.turn_id))
    log.append(live, taken.turn_id, [log.Frame(lost.first, late.encoded())], ttl=60)

    types = [json.loads(frame.text)["type"] for frame in log.read(live, taken.turn_id)]
    assert types == ["ChatChunk", "ChatSkipped", "ChatSkipped"]


def events() -> Iterator[TurnEvent]:
    big = 'å"\x07🧑‍💻' * 60_000
    yield ChatToolCall(tool_call_id="t", tool_name="n", tool_type="GET_ME", input_data={"text": big})
    yield ChatToolResult(tool_call_id="t", output={"rows": [big]}, success=True, execution_time_ms=1)
    yield ChatComplete(message_id="m", content=big, input_tokens=1, output_tokens=1, total_time_ms=1)
    yield ChatError(code=ErrorCode.CHAT_ERROR, message="m", recovery_hint="h", content=big)


@pytest.mark.parametrize("event", list(events()), ids=lambda event: event.type)
def test_no_event_is_larger_than_a_frame(event: TurnEvent) -> None:
    assert len(fit(event).encoded().encode()) <= POST_BYTES


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.text(st.characters(codec="utf-8"), max_size=200), st.integers(1, 200))
def test_a_split_delta_joins_to_itself_and_each_piece_fits(text: str, times: int) -> None:
    whole = text * times
    parts = split_delta(whole)

    assert "".join(parts) == whole
    assert all(len(ChatChunk(delta=part, chunk_index=0).encoded().encode()) <= POST_BYTES for part in parts)


def test_a_family_emoji_is_not_cut_in_two() -> None:
    family = "👨‍👩‍👧‍👦"
    parts = split_delta("x" * 4_797 + family + "y" * 10)

    assert any(family in part for part in parts)


def test_reasoning_of_a_tool_names_its_call_and_counts_each_pass_from_nothing(
    live: LiveTable, sockets: FakeSockets, turn: TurnRef, clock: Clock
) -> None:
    lease.claim(live, turn, watcher="c1", first_seq=0, ttl=600)
    sender = Sender(live, sockets, turn, ttl=600, clock=clock, tool_call_id="t1")
    for _ in range(2):
        for word in ("one ", "two "):
            sender.reasoning(word)
            clock.now += 1
        sender.new_pass()

    chunks = [(frame["toolCallId"], frame["chunkIndex"], frame["delta"]) for frame in sockets.posted["c1"]]
    assert chunks == [("t1", 0, "one "), ("t1", 1, "two ")] * 2


def test_two_writers_of_a_turn_give_no_number_twice(
    live: LiveTable, sockets: FakeSockets, turn: TurnRef, clock: Clock
) -> None:
    lease.claim(live, turn, watcher="c1", first_seq=0, ttl=600)
    writers = [Sender(live, sockets, turn, ttl=600, clock=clock, tool_call_id=name) for name in ("a", "b")]
    for n in range(10):
        for writer in writers:
            writer.reasoning(f"{n} ")
            clock.now += 0.15
    for writer in writers:
        writer.settle()

    frames = log.read(live, turn.turn_id)
    assert [frame.seq for frame in frames] == list(range(1, len(frames) + 1))
    for name in ("a", "b"):
        told = [json.loads(frame.text) for frame in frames]
        assert "".join(e["delta"] for e in told if e["toolCallId"] == name) == "".join(f"{n} " for n in range(10))
