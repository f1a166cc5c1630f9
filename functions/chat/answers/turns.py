"""Turns that run: watched again, stopped."""

from functions.chat.answers.asked import Asked, Data
from rolecall.ids import TurnId
from rolecall.protocol.requests import CancelTurn, ResumeTurn, TurnTimeline
from rolecall.turns.cancel import cancel
from rolecall.turns.models import Runtime
from rolecall.turns.resume import resume
from rolecall.turns.timeline import timeline_of


def resume_turn(runtime: Runtime, asked: Asked, request: ResumeTurn) -> Data:
    """Replay a turn to this socket and let it watch."""
    return resume(runtime, asked.caller, asked.connection_id, TurnId(request.turn_id), request.after_seq)


def cancel_turn(runtime: Runtime, asked: Asked, request: CancelTurn) -> Data:
    """Stop a turn."""
    return cancel(runtime, asked.caller, asked.connection_id, TurnId(request.turn_id))


def turn_timeline(runtime: Runtime, asked: Asked, request: TurnTimeline) -> Data:
    """Tell what happened in a turn."""
    return timeline_of(runtime, asked.caller, TurnId(request.turn_id))
