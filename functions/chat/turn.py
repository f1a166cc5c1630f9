"""One model hop: the first of a message (asynchronous, from `front`), or the next one of the state machine."""

from functools import cache
from typing import Any

from rolecall.settings import settings
from rolecall.turns.begin import begin, next_hop
from rolecall.turns.messages import StartTurn
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.runtime import build_runtime


@cache
def _runtime() -> Runtime:
    return build_runtime(settings())


def handler(event: dict[str, Any], context: Any) -> dict[str, Any] | None:
    """Start a turn, or go on with one; the state machine gets the next state."""
    if event["kind"] == "message":
        begin(_runtime(), StartTurn.from_plain(event), context.aws_request_id)
        return None
    turn = TurnRef.from_plain(event["turn"])
    return next_hop(_runtime(), turn, int(event["afterHop"])).plain(turn)
