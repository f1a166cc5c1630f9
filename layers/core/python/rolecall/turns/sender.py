"""From events to sockets: coalesces deltas, numbers, posts to every watcher, and keeps the log.

The first delta goes at once; then every 40 ms, growing to 200 ms, longer when the service says 429. Frames reach
the log within 500 ms, and before tools run or a turn ends. There is no thread: the owner asks `wait` how long it may
sleep and calls `tick` when it wakes.
"""

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final, TypeVar

from rolecall.aws.live import LiveTable, Write
from rolecall.aws.sockets import Delivery, Sockets
from rolecall.protocol.events import ChatChunk, ChatProcessing, ChatReasoningChunk, TurnEvent
from rolecall.turns import log
from rolecall.turns.frames import fit, split_delta
from rolecall.turns.lease import HOP_SECONDS, turn_key
from rolecall.turns.log import Block, Frame
from rolecall.turns.models import TurnRef

FIRST_INTERVAL: Final = 0.04
LONGEST_INTERVAL: Final = 0.2
THROTTLED_INTERVAL: Final = 2.0
GROWTH: Final = 1.25
LOG_SECONDS: Final = 0.5
SILENT_SECONDS: Final = 1.0
"""How long a silent model goes on before its turn is looked at for a cancel."""
POST_TRIES: Final = 3

D = TypeVar("D", ChatChunk, ChatReasoningChunk)


class Sender:
    """Sends one writer's events of one turn. Every method may raise `Fenced`.

    `tool_call_id` is the call whose reasoning is sent, where a tool thinks. `opening` are numbers that came with the
    claim: the first events need no round trip for theirs.
    """

    def __init__(
        self,
        live: LiveTable,
        sockets: Sockets,
        turn: TurnRef,
        *,
        ttl: int,
        silence: int = HOP_SECONDS,
        opening: Block | None = None,
        tool_call_id: str | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._live, self._sockets, self.turn = live, sockets, turn
        self._ttl, self._silence, self._clock, self._sleep = ttl, silence, clock, sleep
        self._pending: list[TurnEvent] = []
        self._unlogged: list[Frame] = []
        self._interval = FIRST_INTERVAL
        self._last_post = float("-inf")
        self._last_log = clock()
        self._last_touch = clock()
        self._indexes = {ChatChunk: 0, ChatReasoningChunk: 0}
        self._tool_call_id = tool_call_id
        self._opening = opening or Block(0, frozenset(), 0)

    def text(self, delta: str) -> None:
        """Send more of the answer, soon."""
        self._delta(ChatChunk, delta)

    def reasoning(self, delta: str) -> None:
        """Send more of the reasoning, soon."""
        self._delta(ChatReasoningChunk, delta)

    def restart(self, why: str) -> None:
        """Say that the answer starts again; what it reasons from now on is a pass of its own."""
        self.emit(ChatProcessing(status="retrying", message=why))
        self.new_pass()

    def new_pass(self) -> None:
        """Count the pieces of reasoning from 0 again."""
        self.flush()
        self._indexes[ChatReasoningChunk] = 0

    def emit(self, event: TurnEvent) -> None:
        """Send an event now, after what waits."""
        self._pending.append(event)
        self.flush()

    @contextmanager
    def meanwhile(self, event: TurnEvent) -> Iterator[None]:
        """Send an event while the block runs, which must not use the sender."""
        thread = threading.Thread(target=self.emit, args=(event,), name="first-event")
        thread.start()
        try:
            yield
        finally:
            thread.join()

    def wait(self) -> float:
        """Seconds for which nothing needs to be done."""
        now = self._clock()
        due = self._last_touch + SILENT_SECONDS
        if self._pending:
            due = min(due, self._last_post + self._interval)
        if self._unlogged:
            due = min(due, self._last_log + LOG_SECONDS)
        return max(0.0, due - now)

    def tick(self) -> None:
        """Do what is due: post what waits, write the log, look whether the turn is still ours."""
        now = self._clock()
        if self._pending and now >= self._last_post + self._interval:
            self.flush()
        elif now >= self._last_touch + SILENT_SECONDS:
            log.reserve(self._live, self.turn, 0, silence=self._silence)
            self._last_touch = now
        if self._unlogged and now >= self._last_log + LOG_SECONDS:
            self.write_log()

    def flush(self) -> None:
        """Number and post what waits."""
        if self._pending:
            events, self._pending = self._pending, []
            self._deliver(events, self._block(len(events)))

    def write_log(self) -> None:
        """Keep what was posted and is not kept yet."""
        if self._unlogged:
            frames, self._unlogged = self._unlogged, []
            log.append(self._live, self.turn.turn_id, frames, ttl=self._ttl)
        self._last_log = self._clock()

    def settle(self) -> None:
        """Post and keep everything, as before tools run."""
        self.flush()
        self.write_log()

    def end(self, event: TurnEvent) -> None:
        """Send what waits and the terminal event; it is kept before it is posted."""
        events, self._pending = [*self._pending, event], []
        block = self._block(len(events))
        frames = self._number(events, block)
        unlogged, self._unlogged = [*self._unlogged, *frames], []
        log.end(self._live, self.turn, unlogged, ttl=self._ttl)
        self._post(frames, block)

    def _block(self, count: int) -> Block:
        """Take numbers: those of the opening first."""
        opening = self._opening
        if opening.count >= count:
            self._opening = Block(opening.first + count, opening.watchers, opening.count - count)
            return Block(opening.first, opening.watchers, count)
        block = log.reserve(self._live, self.turn, count - opening.count, silence=self._silence)
        if opening.count:  # nobody else writes before the opening is used up, so the two are one block
            block = Block(opening.first, block.watchers, count)
            self._opening = Block(0, frozenset(), 0)
        return block

    def _delta(self, kind: type[D], delta: str) -> None:
        last = self._pending[-1] if self._pending else None
        if isinstance(last, kind):
            delta = last.delta + delta
            self._pending.pop()
            self._indexes[kind] -= 1
        for piece in split_delta(delta):
            self._pending.append(self._chunk(kind, piece))
            self._indexes[kind] += 1
        self.tick()

    def _chunk(self, kind: type[D], piece: str) -> TurnEvent:
        if kind is ChatReasoningChunk:
            index = self._indexes[kind]
            return ChatReasoningChunk(delta=piece, chunk_index=index, tool_call_id=self._tool_call_id)
        return kind(delta=piece, chunk_index=self._indexes[kind])

    def _deliver(self, events: Sequence[TurnEvent], block: Block) -> None:
        frames = self._number(events, block)
        self._unlogged += frames
        self._post(frames, block)
        self._last_touch = self._clock()
        if any(isinstance(event, ChatChunk | ChatReasoningChunk) for event in events):
            self._interval = min(self._interval * GROWTH, max(self._interval, LONGEST_INTERVAL))
            self._last_post = self._last_touch

    def _number(self, events: Sequence[TurnEvent], block: Block) -> list[Frame]:
        turn_id = str(self.turn.turn_id)
        numbered = (
            fit(event.model_copy(update={"turn_id": turn_id, "seq": block.first + offset}))
            for offset, event in enumerate(events)
        )
        return [Frame(event.seq, event.encoded()) for event in numbered]

    def _post(self, frames: Sequence[Frame], block: Block) -> None:
        for watcher in block.watchers:
            for frame in frames:
                if self._post_one(watcher, frame) is Delivery.GONE:
                    unwatch(self._live, self.turn, watcher)
                    break

    def _post_one(self, watcher: str, frame: Frame) -> Delivery:
        for attempt in range(POST_TRIES):
            delivery = self._sockets.post(watcher, frame.text)
            if delivery is not Delivery.THROTTLED:
                return delivery
            self._interval = min(self._interval * 2, THROTTLED_INTERVAL)
            self._sleep(0.05 * 2**attempt)
        return Delivery.THROTTLED


def watch(live: LiveTable, turn: TurnRef, connection_id: str, *, most: int) -> bool:
    """Let a connection see the turn's events from now on; False: it has ended, or has too many watchers."""
    item = live.write(
        Write(
            verb="Update",
            key=turn_key(turn.turn_id),
            update="ADD watchers :one",
            condition=(
                "#state = :running AND"
                " (attribute_not_exists(watchers) OR contains(watchers, :id) OR size(watchers) < :most)"
            ),
            names={"#state": "state"},
            values={":one": {connection_id}, ":id": connection_id, ":most": most, ":running": "RUNNING"},
        )
    )
    return item is not None


def unwatch(live: LiveTable, turn: TurnRef, connection_id: str) -> None:
    """Forget a connection that is gone."""
    live.write(
        Write(
            verb="Update",
            key=turn_key(turn.turn_id),
            update="DELETE watchers :one",
            condition="attribute_exists(pk)",
            values={":one": {connection_id}},
        )
    )
