"""One turn at a time in a conversation, one fence at a time in a turn."""

import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from rolecall.aws.live import LiveTable
from rolecall.turns import lease, log
from rolecall.turns.lease import Busy, Claimed, Repeated
from rolecall.turns.log import Fenced
from rolecall.turns.models import TurnRef
from tests.unit.turns.conftest import a_turn


def claim(live: LiveTable, turn: TurnRef) -> lease.Claim:
    return lease.claim(live, turn, watcher="c1", first_seq=1, ttl=600)


def end(live: LiveTable, turn: TurnRef) -> None:
    """End a turn as a sender does: a number, then the terminal event."""
    block = log.reserve(live, turn, 1)
    log.end(live, turn, [log.Frame(block.first, '{"type":"ChatComplete"}')], ttl=60)


def at_once(work: Callable[[int], Any], workers: int = 8) -> list[Any]:
    results: list[Any] = [None] * workers
    barrier = threading.Barrier(workers)

    def run(number: int) -> None:
        barrier.wait()
        results[number] = work(number)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(workers)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results


def another(turn: TurnRef) -> TurnRef:
    """Another turn of the same conversation."""
    return replace(turn, turn_id=a_turn().turn_id)


def expire(monkeypatch: pytest.MonkeyPatch, seconds: float) -> None:
    import time

    later = time.time() + seconds
    monkeypatch.setattr("rolecall.turns.lease.time.time", lambda: later)


def test_of_many_turns_claimed_at_once_in_a_conversation_one_wins(live: LiveTable, turn: TurnRef) -> None:
    claims = at_once(lambda _: claim(live, another(turn)))

    assert Counter(type(each) for each in claims) == {Claimed: 1, Busy: 7}
    winner = next(each.turn for each in claims if isinstance(each, Claimed))
    assert {each.other.turn_id for each in claims if isinstance(each, Busy)} == {winner.turn_id}


def test_of_many_deliveries_of_one_message_one_wins_and_the_others_know_it(live: LiveTable, turn: TurnRef) -> None:
    claims = at_once(lambda _: claim(live, turn))

    assert Counter(type(each) for each in claims) == {Claimed: 1, Repeated: 7}


def test_a_released_conversation_takes_the_next_turn(live: LiveTable, turn: TurnRef) -> None:
    claim(live, turn)
    lease.release(live, turn)

    assert isinstance(claim(live, another(turn)), Claimed)


def test_a_release_by_another_turn_frees_nothing(live: LiveTable, turn: TurnRef) -> None:
    claim(live, turn)
    lease.release(live, replace(turn, turn_id=a_turn().turn_id))

    assert isinstance(claim(live, another(turn)), Busy)


def test_a_turn_that_ended_without_release_blocks_nobody(live: LiveTable, turn: TurnRef) -> None:
    claim(live, turn)
    end(live, turn)

    assert isinstance(claim(live, another(turn)), Claimed)


def test_a_silent_holder_counts_as_dead_only_after_its_lease(
    live: LiveTable, turn: TurnRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim(live, turn)
    other = another(turn)
    alive = claim(live, other)
    expire(monkeypatch, lease.HOP_SECONDS + 1)
    dead = claim(live, other)

    assert isinstance(alive, Busy)
    assert not alive.dead
    assert isinstance(dead, Busy)
    assert dead.dead
    assert claim(live, turn) == Repeated(replace(turn, fence=1), ended=False, dead=True)


def test_a_dead_turn_is_taken_over_by_one_and_its_old_holder_is_fenced(
    live: LiveTable, turn: TurnRef, monkeypatch: pytest.MonkeyPatch
) -> None:
    claim(live, turn)
    expire(monkeypatch, lease.HOP_SECONDS + 1)
    taken = [each for each in at_once(lambda _: lease.take_over(live, turn, only_dead=True)) if each]

    assert [each.fence for each in taken] == [2]
    with pytest.raises(Fenced):
        log.reserve(live, turn, 1)
    assert not lease.renew(live, turn, 60)
    assert log.reserve(live, taken[0], 1).first == 2


def test_a_live_turn_is_not_taken_over_as_dead_but_can_be_cancelled(live: LiveTable, turn: TurnRef) -> None:
    claim(live, turn)

    assert lease.take_over(live, turn, only_dead=True) is None
    assert lease.take_over(live, turn, only_dead=False) == replace(turn, fence=2)


def test_a_turn_ends_once(live: LiveTable, turn: TurnRef) -> None:
    claim(live, turn)

    def try_to_end(_: int) -> bool:
        try:
            end(live, turn)
        except Fenced:
            return False
        return True

    assert Counter(at_once(try_to_end)) == {True: 1, False: 7}
    assert len([frame for frame in log.read(live, turn.turn_id) if "ChatComplete" in frame.text]) == 1
    assert lease.take_over(live, turn, only_dead=False) is None


def test_numbers_given_out_at_once_have_no_gap_and_no_repeat(live: LiveTable, turn: TurnRef) -> None:
    claim(live, turn)
    blocks = at_once(lambda number: (log.reserve(live, turn, number + 1).first, number + 1))

    given = sorted(seq for first, count in blocks for seq in range(first, first + count))
    assert given == list(range(2, 2 + sum(range(1, 9))))


def test_somebody_who_only_knows_the_conversation_does_not_hold_it(live: LiveTable, turn: TurnRef) -> None:
    claim(live, a_turn(turn.conversation_id))

    assert isinstance(claim(live, turn), Claimed)


def test_a_hop_is_taken_once(live: LiveTable, turn: TurnRef) -> None:
    claim(live, turn)

    assert Counter(at_once(lambda _: lease.claim_hop(live, turn, 2))) == {True: 1, False: 7}
    assert lease.claim_hop(live, turn, 3)
    assert not lease.claim_hop(live, replace(turn, fence=2), 4)
