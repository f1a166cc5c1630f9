"""Calls of a turn that is not stored: what runs is decided in Postgres, what was said is in the live table.

A call has a row without its arguments and outcome; the row's lock and status make it act once. The outcome is written
to the live table before that row is committed, so that a call which has ended has one.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from uuid import UUID

from psycopg import Connection

from rolecall.conversations.models import MessageStatus
from rolecall.ids import TurnId
from rolecall.llm.stream import Usage
from rolecall.tools import store as tools
from rolecall.tools.models import Call
from rolecall.turns import store
from rolecall.turns.unstored.items import TurnItems, Written

OPEN = frozenset({MessageStatus.STREAMING, MessageStatus.AWAITING_APPROVAL})


class UnstoredCalls:
    """What tools of one turn run by; see CallBook."""

    def __init__(self, items: TurnItems) -> None:
        self._items = items
        self._sources: Sequence[dict[str, Any]] | None = None

    def lock_call(self, conn: Connection[Any], turn_id: TurnId, tool_call_id: str) -> Call | None:
        """Hold the row; the rest is the item's."""
        row = tools.lock_call(conn, turn_id, tool_call_id)
        call = self._items.call(tool_call_id) if row else None
        return replace(call, status=row.status) if row and call else None

    def start_call(self, conn: Connection[Any], turn_id: TurnId, tool_call_id: str) -> None:
        """Say so in the row."""
        tools.start_call(conn, turn_id, tool_call_id)

    def add_thoughts(
        self, conn: Connection[Any], turn_id: UUID, segments: Sequence[dict[str, Any]], usage: Usage
    ) -> bool:
        """Write them down in the turn's item."""
        store.hold_open(conn, turn_id)
        return self._items.change(lambda written: _with_thoughts(written, segments, usage)) is not None

    def end_call(self, conn: Connection[Any], call: Call, *, content: str, error_code: str | None = None) -> None:
        """Write the outcome and the sources down, then what may be known of it into the row."""
        self._items.put_call(call)
        if call.succeeded and self._sources is not None:
            self._items.change(self._with_sources)
        tools.end_call(conn, without_text(call), content="", error_code=error_code)

    def turn_goes_on(self, conn: Connection[Any], turn_id: UUID) -> bool:
        """Hold off whoever wants to end the turn, and look."""
        store.hold_open(conn, turn_id)
        written = self._items.read()
        return written is not None and written.answer.status in OPEN

    def lock_sources(self, conn: Connection[Any], turn_id: UUID) -> list[dict[str, Any]]:
        """Let one call at a time add sources."""
        store.hold_sources(conn, turn_id)
        written = self._items.read()
        return list(self._sources or (written.answer.sources if written else ()))

    def set_sources(self, conn: Connection[Any], turn_id: UUID, sources: Sequence[dict[str, Any]]) -> None:
        """Keep them for the end of the call: one that fails adds none."""
        self._sources = sources

    def _with_sources(self, written: Written) -> Written:
        return replace(written, answer=replace(written.answer, sources=list(self._sources or ())))


def _with_thoughts(written: Written, segments: Sequence[dict[str, Any]], usage: Usage) -> Written | None:
    answer = written.answer
    if answer.status not in OPEN:
        return None
    thought = replace(
        answer,
        content_segments=[*answer.content_segments, *segments],
        input_tokens=answer.input_tokens + usage.input_tokens,
        output_tokens=answer.output_tokens + usage.output_tokens,
        cached_tokens=answer.cached_tokens + usage.cache_read,
    )
    return replace(written, answer=thought)


def without_text(call: Call) -> Call:
    """What of a call may be logged: neither its arguments nor its outcome, nor a name that the model made up."""
    name = call.function_name if call.tool_code else "unknown"
    return replace(call, function_name=name, input={}, output=None, error_message=None)
