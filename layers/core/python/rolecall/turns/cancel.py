"""Stopping a turn at once: its fence is raised, so that its writer stops at its next write."""

from typing import Any

from rolecall.aws.functions import stop_machine
from rolecall.errors import ErrorCode, RolecallError, TurnFailed
from rolecall.identity import Caller
from rolecall.ids import TurnId
from rolecall.turns import finish, lease
from rolecall.turns.lease import TurnState
from rolecall.turns.models import Runtime
from rolecall.turns.resume import NOT_FOUND, owned


def cancel(runtime: Runtime, caller: Caller, turn_id: TurnId) -> dict[str, Any]:
    """End a running turn as CANCELLED; what it wrote stays. A turn that has ended stays as it is.

    Raises:
        RolecallError: CONVERSATION_NOT_FOUND, for a turn that is not there or not the caller's.
    """
    item = lease.read(runtime.live, turn_id)
    if item is None:
        raise RolecallError(NOT_FOUND, code=ErrorCode.CONVERSATION_NOT_FOUND)
    turn = owned(item, caller)
    cancelled = item["state"] == TurnState.RUNNING and finish.settle(
        runtime, turn, TurnFailed("You stopped the answer.", code=ErrorCode.CANCELLED), only_dead=False
    )
    if cancelled and runtime.settings.turn_machine_arn:
        stop_machine(runtime.settings.turn_machine_arn, f"{turn_id}-{turn.fence}", "cancelled by the user")
    return {"turnId": str(turn_id), "cancelled": cancelled}
