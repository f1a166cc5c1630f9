"""Coming back to a turn: replay what was missed, then watch what is still to come."""

import time
from typing import Any, Final

from rolecall.aws.live import Item
from rolecall.aws.packed import is_fresh
from rolecall.aws.sockets import Delivery
from rolecall.conversations import store as conversations
from rolecall.conversations.models import MessageStatus
from rolecall.errors import ErrorCode, RolecallError
from rolecall.identity import Caller
from rolecall.ids import TurnId
from rolecall.protocol.limits import WATCHERS_PER_TURN
from rolecall.turns import finish, lease, log
from rolecall.turns.frames import fit
from rolecall.turns.lease import TurnState, message_key
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.rows import Rows
from rolecall.turns.sender import watch

CATCH_UP_SECONDS: Final = 2.0
"""Longest wait for frames that were posted and have not reached the log yet."""
NOT_FOUND: Final = "There is no such turn."


def resume(runtime: Runtime, caller: Caller, connection_id: str, turn_id: TurnId, after: int) -> dict[str, Any]:
    """Replay a turn's events after `after` to a connection, which watches it from then on.

    Returns:
        The reply's data: the turn's status and the last number given out when it was looked at.

    Raises:
        RolecallError: CONVERSATION_NOT_FOUND, for a turn that is not there or not the caller's.
    """
    item = lease.read(runtime.live, turn_id)
    if item is None:
        return _without_item(runtime, caller, connection_id, turn_id, after)
    turn = owned(item, caller)
    watch(runtime.live, turn, connection_id, most=WATCHERS_PER_TURN)
    if item["state"] == TurnState.RUNNING and not lease.is_alive(item):
        finish.settle(runtime, turn, finish.DEAD, only_dead=True)
    head = (lease.read(runtime.live, turn_id) or item)["seq"]
    sent = _replay(runtime, connection_id, turn, after, head)
    state = (lease.read(runtime.live, turn_id) or item)["state"]
    return {"turnId": str(turn_id), "status": state, "headSeq": max(head, sent)}


def owned(item: Item, caller: Caller) -> TurnRef:
    """The turn of a live item, if it is the caller's."""
    turn = lease.turn_of(item)
    if turn.caller != caller:
        raise RolecallError(NOT_FOUND, code=ErrorCode.CONVERSATION_NOT_FOUND)
    return turn


def _replay(runtime: Runtime, connection_id: str, turn: TurnRef, after: int, head: int) -> int:
    """Send kept frames up to `head`, waiting a little for those on their way; return the last number sent.

    Numbers that are missing once the turn has ended were lost with their writer, and are filled. While it goes on they
    may still come: the connection watches, and may ask again.
    """
    turn_id, deadline = turn.turn_id, time.monotonic() + CATCH_UP_SECONDS
    while after < head:
        for frame in log.read(runtime.live, turn_id, after=after):
            if frame.seq != after + 1:
                break
            if runtime.sockets.post(connection_id, frame.text) is Delivery.GONE:
                return after
            after = frame.seq
        if after >= head:
            break
        if time.monotonic() >= deadline:
            item = lease.read(runtime.live, turn_id)
            if item is None or item["state"] == TurnState.RUNNING:
                break
            log.fill_gaps(runtime.live, turn_id, upto=head, ttl=runtime.ttl(turn))
        time.sleep(0.1)
    return after


def _without_item(runtime: Runtime, caller: Caller, connection_id: str, turn_id: TurnId, after: int) -> dict[str, Any]:
    """The turn is not live: tell its end from its row, or that it has not begun.

    A live turn always has its item, so a row that still streams is nobody's.
    """
    with runtime.db.transaction(caller) as conn:
        row = conversations.turn_row(conn, turn_id)
        if row is not None and row.status == MessageStatus.STREAMING:
            Rows(TurnRef.of_row(row, caller)).fail(conn, finish.DEAD.code, finish.DEAD.message, "")
            row = conversations.turn_row(conn, turn_id)
    if row is None:
        announced(runtime, caller, turn_id)
        return {"turnId": str(turn_id), "status": "PENDING", "headSeq": 0}
    if row.status != MessageStatus.AWAITING_APPROVAL:
        event = finish.terminal_event(row).model_copy(update={"turn_id": str(turn_id), "seq": after + 1})
        runtime.sockets.send(connection_id, fit(event))
    return {"turnId": str(turn_id), "status": row.status, "headSeq": after + 1}


def announced(runtime: Runtime, caller: Caller, turn_id: TurnId) -> TurnRef:
    """Find a turn that was acknowledged and has not begun.

    Raises:
        RolecallError: CONVERSATION_NOT_FOUND.
    """
    item = runtime.live.get(*message_key(turn_id))
    if item is None or not is_fresh(item):
        raise RolecallError(NOT_FOUND, code=ErrorCode.CONVERSATION_NOT_FOUND)
    return owned(item, caller)
