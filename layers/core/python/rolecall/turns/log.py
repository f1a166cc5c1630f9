"""The turn's event log: numbers given out under the fence, frames kept for whoever comes later.

A number is given out once. Numbers whose frames were lost with their writer are filled by the next writer with
`ChatSkipped`, so that every reader sees 1, 2, 3, … to the terminal event.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final
from uuid import UUID

from rolecall.aws.live import LiveTable, Write
from rolecall.aws.packed import is_fresh
from rolecall.ids import TurnId
from rolecall.protocol.events import ChatSkipped
from rolecall.turns.lease import HOP_SECONDS, TurnState, held, turn_key, until
from rolecall.turns.models import TurnRef

_TRIES: Final = 5
ITEM_BYTES: Final = 200 * 1024
"""Most bytes of frames in one log item; DynamoDB's limit is 400 KB."""


class Fenced(Exception):
    """The turn is no longer this writer's: it was cancelled, taken over, or has ended. Stop, say nothing."""


@dataclass(frozen=True, slots=True)
class Frame:
    """One numbered event, as the text that goes over the socket."""

    seq: int
    text: str


@dataclass(frozen=True, slots=True)
class Block:
    """Numbers given out, and who watches at this moment."""

    first: int
    watchers: frozenset[str]
    count: int


def reserve(live: LiveTable, turn: TurnRef, count: int, *, silence: int = HOP_SECONDS) -> Block:
    """Take the next `count` numbers and renew the lease in one statement.

    Args:
        live: the live table.
        turn: the turn and the writer's fence.
        count: how many; 0 only renews.
        silence: seconds for which the writer may now be silent.

    Raises:
        Fenced: when the turn is not the writer's.
    """
    values = {":until": until(silence), ":count": count}
    item = live.write(held(turn, "SET lease_until = :until ADD seq :count", values))
    if item is None:
        raise Fenced
    return Block(item["seq"] - count + 1, frozenset(item.get("watchers", ())), count)


def append(live: LiveTable, turn_id: TurnId, frames: Sequence[Frame], *, ttl: int) -> None:
    """Keep frames, in order. Frames whose number was given up meanwhile stay given up."""
    for batch in _batches(frames):
        live.write(_put(turn_id, batch, ttl))


def end(live: LiveTable, turn: TurnRef, frames: Sequence[Frame], *, ttl: int) -> None:
    """Keep the last frames, the terminal event's among them, and end the turn, all at once.

    One writer ends it, and whoever sees that it has ended finds the terminal event.

    Raises:
        Fenced: when the turn is not the writer's, or has ended.
    """
    *before, last = _batches(frames)
    for batch in before:
        live.write(_put(turn.turn_id, batch, ttl))
    ending = held(turn, "SET #state = :ended", {":ended": TurnState.ENDED.value})
    for _ in range(_TRIES):
        if live.transact([_put(turn.turn_id, last, ttl), ending]) is None:
            return
        item = live.get(*turn_key(turn.turn_id))
        if item is None or item["fence"] != turn.fence or item["state"] != TurnState.RUNNING:
            raise Fenced
    raise TimeoutError("the turn's end is contended")


def _put(turn_id: TurnId, batch: Sequence[Frame], ttl: int) -> Write:
    return Write(
        verb="Put",
        key=(f"TURN#{turn_id}", _sort_key(batch[0].seq)),
        item={"frames": [[frame.seq, frame.text] for frame in batch], "expires_at": int(time.time()) + ttl},
        condition="attribute_not_exists(pk)",
    )


def read(live: LiveTable, turn_id: TurnId, *, after: int = 0) -> list[Frame]:
    """The frames that are kept, by number, each once."""
    found: dict[int, str] = {}
    for item in live.query(f"TURN#{turn_id}", first=_sort_key(0), last=_sort_key(99_999_999)):
        for seq, text in item["frames"] if is_fresh(item) else ():
            if seq > after and ('"type":"ChatSkipped"' not in text or seq not in found):
                found[seq] = text
    return [Frame(seq, found[seq]) for seq in sorted(found)]


def forget(live: LiveTable, turn_id: UUID) -> None:
    """Delete the frames of a turn."""
    for item in list(live.query(f"TURN#{turn_id}", first=_sort_key(0), last=_sort_key(99_999_999))):
        live.write(Write(verb="Delete", key=(item["pk"], item["sk"])))


def fill_gaps(live: LiveTable, turn_id: TurnId, *, upto: int, ttl: int) -> None:
    """Put `ChatSkipped` for every number up to `upto` that no frame is kept for."""
    known = {frame.seq for frame in read(live, turn_id)}
    for seq in range(1, upto + 1):
        if seq not in known:
            event = ChatSkipped(turn_id=str(turn_id), seq=seq)
            append(live, turn_id, [Frame(seq, event.encoded())], ttl=ttl)


def unsaved_text(frames: Sequence[Frame]) -> str:
    """The text that the last hop has streamed: what came after the last call that was announced."""
    deltas: list[str] = []
    for event in (json.loads(frame.text) for frame in frames):
        if event["type"] == "ChatToolCall":
            deltas.clear()
        elif event["type"] == "ChatChunk":
            deltas.append(event["delta"])
    return "".join(deltas)


def _sort_key(seq: int) -> str:
    return f"EV#{seq:08d}"


def _batches(frames: Sequence[Frame]) -> list[list[Frame]]:
    batches: list[list[Frame]] = []
    size = ITEM_BYTES
    for frame in frames:
        length = len(frame.text.encode())
        if size + length > ITEM_BYTES:
            batches.append([])
            size = 0
        batches[-1].append(frame)
        size += length
    return batches
