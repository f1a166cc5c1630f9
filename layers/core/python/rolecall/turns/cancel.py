"""Stopping a turn at once: its fence is raised, so that its writer stops at its next write."""

from typing import Any, Final

from rolecall.aws.functions import stop_machine
from rolecall.conversations import store as conversations
from rolecall.conversations.models import MessageStatus
from rolecall.errors import ErrorCode, TurnFailed
from rolecall.identity import Caller
from rolecall.ids import TurnId
from rolecall.protocol.events import ChatError
from rolecall.turns import finish, lease
from rolecall.turns.lease import TurnState
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.resume import announced, owned
from rolecall.turns.rows import Rows

STOPPED: Final = TurnFailed(finish.STOPPED, code=ErrorCode.CANCELLED)


def cancel(runtime: Runtime, caller: Caller, connection_id: str, turn_id: TurnId) -> dict[str, Any]:
    """End a running turn as CANCELLED; what it wrote stays. A turn that has ended stays as it is.

    Raises:
        RolecallError: CONVERSATION_NOT_FOUND, for a turn that is not there or not the caller's.
    """
    item = lease.read(runtime.live, turn_id)
    if item is None:
        cancelled = _without_item(runtime, caller, connection_id, turn_id)
    else:
        turn = owned(item, caller)
        running = item["state"] == TurnState.RUNNING
        event = finish.settle(runtime, turn, STOPPED, only_dead=False) if running else None
        cancelled = isinstance(event, ChatError) and event.code == ErrorCode.CANCELLED
        if cancelled and runtime.settings.turn_machine_arn:
            name = f"{turn_id}-{turn.fence}"
            stop_machine(runtime.settings.turn_machine_arn, name, "cancelled by the user")
    return {"turnId": str(turn_id), "cancelled": cancelled}


def _without_item(runtime: Runtime, caller: Caller, connection_id: str, turn_id: TurnId) -> bool:
    """The turn is not live: close a row that nobody writes, or keep a turn that was announced from beginning."""
    with runtime.db.transaction(caller) as conn:
        row = conversations.turn_row(conn, turn_id)
        if row is not None:
            streams = row.status == MessageStatus.STREAMING
            turn = TurnRef.of_row(row, caller)
            return streams and Rows(turn).fail(conn, STOPPED.code, STOPPED.message, "")
    turn = announced(runtime, caller, turn_id)
    return finish.forestall(runtime, turn, STOPPED, connection_id)
