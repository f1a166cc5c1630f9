"""A tool call within its turn: it runs while the turn is alive, and tells the watchers how it went."""

from collections.abc import Mapping
from typing import Literal

from rolecall.db import DatabaseUnavailable
from rolecall.protocol.events import ChatSources
from rolecall.telemetry import log as logger
from rolecall.tools.declare import Tool
from rolecall.tools.run import Ran, Workshop, run_call
from rolecall.turns import lease, log
from rolecall.turns.books import book_of
from rolecall.turns.hop import result_event
from rolecall.turns.log import Fenced
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.sender import Sender
from rolecall.turns.thinker import TurnThinker

Status = Literal["done", "cancelled", "unknown"]


def run_tool_call(runtime: Runtime, catalogue: Mapping[str, Tool], turn: TurnRef, tool_call_id: str) -> Status:
    """Run a call once, and announce its outcome once.

    Returns:
        `cancelled` where the turn is no longer the caller's (nothing ran, or its outcome is not announced),
        `unknown` where there is no such call.
    """
    if not lease.renew(runtime.live, turn, lease.TOOL_SECONDS):
        return "cancelled"
    workshop = Workshop(
        runtime.db,
        catalogue,
        runtime.settings,
        book_of(runtime, turn).calls,
        thinker=lambda call: TurnThinker(runtime, turn, call.tool_call_id),
    )
    try:
        ran = run_call(workshop, turn.caller, turn.turn_id, tool_call_id)
    except DatabaseUnavailable:  # nothing of it was stored, so it may be done again
        ran = run_call(workshop, turn.caller, turn.turn_id, tool_call_id)
    if ran is None:
        logger.error("tool call is unknown", extra={"turn_id": str(turn.turn_id)})
        return "unknown"
    try:
        _announce(runtime, turn, ran)
    except Fenced:
        return "cancelled"
    return "done"


def _announce(runtime: Runtime, turn: TurnRef, ran: Ran) -> None:
    if ran.repeated and _is_announced(runtime, turn, ran.call.tool_call_id):
        return
    sender = Sender(runtime.live, runtime.sockets, turn, ttl=runtime.ttl(turn), silence=lease.TOOL_SECONDS)
    sender.emit(result_event(ran.call))
    if ran.sources:
        sender.emit(ChatSources(sources=list(ran.sources)))
    sender.settle()


def _is_announced(runtime: Runtime, turn: TurnRef, tool_call_id: str) -> bool:
    mark = f'"toolCallId":"{tool_call_id}"'
    frames = log.read(runtime.live, turn.turn_id)
    return any('"type":"ChatToolResult"' in frame.text and mark in frame.text for frame in frames)
