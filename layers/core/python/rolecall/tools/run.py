"""Running one tool call: exactly once, whatever retries, and with an outcome that the model can read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

from rolecall.db import Database
from rolecall.identity import Caller
from rolecall.ids import TurnId
from rolecall.settings import Settings
from rolecall.tools import store
from rolecall.tools.attempt import as_text, attempted, discarded, handled
from rolecall.tools.declare import Tool
from rolecall.tools.models import ENDED, Call, CallBook, CallDiscarded, Thinker, ThinkingContext, ToolContext


@dataclass(frozen=True, slots=True)
class Ran:
    """A call that has ended. `repeated`: it had ended before; nothing was done again."""

    call: Call
    repeated: bool
    sources: Sequence[dict[str, Any]] = ()
    """Sources that it added to the turn's."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """What calls run with: the database, the tools, the settings, and where calls are kept (rows unless told)."""

    db: Database
    catalogue: Mapping[str, Tool]
    settings: Settings
    book: CallBook = store
    thinker: Callable[[Call], Thinker] | None = None
    """Makes what a tool thinks with; none: no tool of the catalogue thinks."""


def run_call(workshop: Workshop, caller: Caller, turn_id: TurnId, tool_call_id: str) -> Ran | None:
    """Run a stored call and store its outcome in the same transaction, so that it acts once.

    Whoever comes second waits for the first and finds the call ended. A handler that fails leaves nothing behind but
    the error. A tool that thinks (and writes nothing) runs between two transactions: begun again after its function
    died, it thinks again, and the first outcome counts.

    Returns:
        None where the caller has no such call.
    """
    with workshop.db.transaction(caller) as conn:
        call = workshop.book.lock_call(conn, turn_id, tool_call_id)
        if call is None:
            return None
        if call.status in ENDED:
            return Ran(call, repeated=True)
        tool = workshop.catalogue.get(call.tool_code or "")
        if tool is None or not tool.thinks:
            return _run(workshop, conn, caller, call)
        workshop.book.start_call(conn, turn_id, tool_call_id)
    return _think(workshop, caller, call)


def _run(workshop: Workshop, conn: Any, caller: Caller, call: Call) -> Ran:
    context = ToolContext(
        conn=conn,
        caller=caller,
        conversation_id=call.conversation_id,
        turn_id=call.turn_id,
        tool_call_id=call.tool_call_id,
        agent_id=call.agent_id,
        settings=workshop.settings,
        book=workshop.book,
    )

    def act() -> Any:
        with conn.transaction():
            output = handled(context, caller, workshop.catalogue, call)
            if not workshop.book.turn_goes_on(conn, call.turn_id):
                raise CallDiscarded
            return output

    ended, code = attempted(call, act)
    workshop.book.end_call(conn, ended, content=as_text(ended.shown_output), error_code=code)
    return Ran(ended, repeated=False, sources=context.sources if ended.succeeded else ())


def _think(workshop: Workshop, caller: Caller, call: Call) -> Ran:
    if workshop.thinker is None:
        raise ValueError("a tool thinks, and there is nothing to think with")
    think = workshop.thinker(call)
    context = ThinkingContext(
        transaction=partial(workshop.db.transaction, caller, read_only=True),
        think=think,
        caller=caller,
        conversation_id=call.conversation_id,
        turn_id=call.turn_id,
        tool_call_id=call.tool_call_id,
        agent_id=call.agent_id,
        settings=workshop.settings,
    )
    ended, code = attempted(call, lambda: handled(context, caller, workshop.catalogue, call))
    segments = [
        {"type": "reasoning", "hop": call.hop, "toolCallId": call.tool_call_id, "text": thought}
        for thought in think.thoughts
    ]
    with workshop.db.transaction(caller) as conn:
        now = workshop.book.lock_call(conn, TurnId(call.turn_id), call.tool_call_id)
        if now is None or now.status in ENDED:
            return Ran(now or discarded(call)[0], repeated=True)
        if not workshop.book.add_thoughts(conn, call.turn_id, segments, think.usage):
            ended, code = discarded(ended)
        workshop.book.end_call(conn, ended, content=as_text(ended.shown_output), error_code=code)
    return Ran(ended, repeated=False)
