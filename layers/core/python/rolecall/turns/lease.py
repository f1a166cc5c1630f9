"""Who may write to a turn: one turn at a time in a conversation, one fence at a time in a turn.

Two items of the live table. `CONV#id / LEASE` names the conversation's running turn. `TURN#id / TURN` holds its
fence, the time until which its holder counts as alive, the last sequence number given out, and who watches.
Whoever is about to do something that can be silent for long renews the lease for that long beforehand; nobody
needs a thread for it. A holder whose fence was raised finds out at its next write, and stops.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from rolecall.aws.live import Item, LiveTable, Write
from rolecall.aws.packed import is_fresh
from rolecall.ids import TurnId
from rolecall.turns.models import TurnRef

HOP_SECONDS: Final = 90
"""Longest silence of a hop: the model's read time-out, and room."""
TOOL_SECONDS: Final = 330
"""Longest silence while a tool runs: its function's time-out, and room."""
_TRIES: Final = 5


class TurnState(StrEnum):
    """State of a turn's live item."""

    RUNNING = "RUNNING"
    ENDED = "ENDED"


@dataclass(frozen=True, slots=True)
class Claimed:
    """The caller holds the turn now."""

    turn: TurnRef


@dataclass(frozen=True, slots=True)
class Repeated:
    """The turn exists already. `dead`: nobody works on it though it has not ended."""

    turn: TurnRef
    ended: bool
    dead: bool


@dataclass(frozen=True, slots=True)
class Busy:
    """Another turn of the conversation is there. `dead`: nobody works on it."""

    other: TurnRef
    dead: bool


Claim = Claimed | Repeated | Busy


def turn_key(turn_id: TurnId) -> tuple[str, str]:
    """Key of a turn's live item."""
    return f"TURN#{turn_id}", "TURN"


def message_key(turn_id: TurnId) -> tuple[str, str]:
    """Key of the note that a message came and was acknowledged."""
    return f"TURN#{turn_id}", "MESSAGE"


def _lease_key(turn: TurnRef) -> tuple[str, str]:
    """The conversation as this person's: who only knows its id cannot hold it."""
    return f"CONV#{turn.conversation_id}#{turn.user_id}", "LEASE"


def claim(live: LiveTable, turn: TurnRef, *, watcher: str | None, first_seq: int, ttl: int, holder: str = "") -> Claim:
    """Take the conversation for a new turn.

    Args:
        live: the live table.
        turn: the turn to be; its fence becomes 1.
        watcher: connection that sees its events from the start.
        first_seq: how many sequence numbers the claimer takes at once.
        ttl: seconds that the items outlive now.
        holder: the invocation that claims; whoever learns that it failed can tell whether the turn was its.
    """
    for _ in range(_TRIES):
        failed = live.transact(_claim_writes(turn, watcher, first_seq, ttl, holder))
        if failed is None:
            return Claimed(replace(turn, fence=1))
        mine = live.get(*turn_key(turn.turn_id))
        if mine is not None:
            ended = mine["state"] == TurnState.ENDED
            return Repeated(turn_of(mine), ended=ended, dead=not ended and not is_alive(mine))
        if (busy := _holder(live, turn)) is not None:
            return busy
    raise TimeoutError("the conversation's lease is contended")


def _claim_writes(turn: TurnRef, watcher: str | None, first_seq: int, ttl: int, holder: str) -> list[Write]:
    now = int(time.time())
    item = {
        **{name: value for name, value in turn.plain().items() if name != "fence"},
        "fence": 1,
        "state": TurnState.RUNNING.value,
        "lease_until": now + HOP_SECONDS,
        "seq": first_seq,
        "hop": 1,
        "holder": holder,
        "watchers": {watcher} if watcher else None,
        "expires_at": now + ttl,
    }
    return [
        Write(verb="Put", key=turn_key(turn.turn_id), item=item, condition="attribute_not_exists(pk)"),
        Write(
            verb="Update",
            key=_lease_key(turn),
            update="SET turnId = :turn, expires_at = :expires",
            condition="attribute_not_exists(turnId)",
            values={":turn": str(turn.turn_id), ":expires": now + ttl},
        ),
    ]


def _holder(live: LiveTable, turn: TurnRef) -> Busy | None:
    lease = live.get(*_lease_key(turn))
    if lease is None or "turnId" not in lease:
        return None
    from uuid import UUID

    other = TurnId(UUID(lease["turnId"]))
    item = live.get(*turn_key(other))
    if item is None or item["state"] == TurnState.ENDED:
        release(live, replace(turn, turn_id=other))
        return None
    return Busy(turn_of(item), dead=not is_alive(item))


def is_alive(item: Mapping[str, Any]) -> bool:
    """Say whether somebody works on the turn of this live item."""
    return bool(item["state"] == TurnState.RUNNING and item.get("lease_until", 0) > time.time())


def turn_of(item: Item) -> TurnRef:
    """The turn that a live item is about, with its current fence."""
    return TurnRef.from_plain(item)


def read(live: LiveTable, turn_id: TurnId) -> Item | None:
    """Read a turn's live item, unless it has expired."""
    item = live.get(*turn_key(turn_id))
    return item if item and is_fresh(item) else None


def held(turn: TurnRef, update: str, values: Mapping[str, Any], *, condition: str = "") -> Write:
    """A change of the turn's item that only its holder can make, while the turn runs."""
    return Write(
        verb="Update",
        key=turn_key(turn.turn_id),
        update=update,
        condition="fence = :fence AND #state = :running" + (f" AND {condition}" if condition else ""),
        names={"#state": "state"},
        values={":fence": turn.fence, ":running": TurnState.RUNNING.value, **values},
    )


def until(seconds: int) -> int:
    """The time, in seconds since the epoch, at which a lease of so many seconds ends."""
    return int(time.time()) + seconds


def renew(live: LiveTable, turn: TurnRef, seconds: int) -> bool:
    """Say that the holder may be silent for so long; False: the turn is no longer theirs."""
    return live.write(held(turn, "SET lease_until = :until", {":until": until(seconds)})) is not None


def claim_hop(live: LiveTable, turn: TurnRef, hop: int) -> bool:
    """Take a later hop; of two invocations for one hop the second gets False, as does whoever has lost the turn."""
    values = {":until": until(HOP_SECONDS), ":hop": hop}
    taking = held(turn, "SET lease_until = :until, hop = :hop", values, condition="hop < :hop")
    return live.write(taking) is not None


def take_over(live: LiveTable, turn: TurnRef, *, only_dead: bool) -> TurnRef | None:
    """Raise the fence: whoever worked on the turn can write no more. One taker wins.

    Returns:
        The turn with its new fence, or None where the turn has ended, is held by another taker, or (with
        `only_dead`) somebody works on it.
    """
    values = {":next": turn.fence + 1, ":until": until(HOP_SECONDS)}
    update = "SET fence = :next, lease_until = :until"
    if only_dead:
        taking = held(turn, update, values | {":now": until(0)}, condition="lease_until <= :now")
    else:
        taking = held(turn, update, values)
    return replace(turn, fence=turn.fence + 1) if live.write(taking) is not None else None


def release(live: LiveTable, turn: TurnRef) -> None:
    """Free the conversation, if this turn holds it."""
    live.write(
        Write(
            verb="Delete",
            key=_lease_key(turn),
            condition="turnId = :turn",
            values={":turn": str(turn.turn_id)},
        )
    )
