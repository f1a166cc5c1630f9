"""Where a turn is written down: what the user said, its answer, its calls. Whoever works on a turn asks its book.

The book of a turn that is stored are rows in Postgres. Every method gets the caller's transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from psycopg import Connection

from rolecall.conversations import store as conversations
from rolecall.conversations.models import Message
from rolecall.errors import ErrorCode
from rolecall.llm.stream import Usage
from rolecall.tools import store as tools
from rolecall.tools.models import Call, CallBook, CallStatus
from rolecall.turns import store
from rolecall.turns.models import Runtime, TurnRef

Conn = Connection[Any]


@dataclass(frozen=True, slots=True)
class Told:
    """What a turn holds after a hop, and the calls which that hop made."""

    content: str
    segments: Sequence[dict[str, Any]]
    tool_calls: Sequence[dict[str, Any]]
    usage: Usage
    stop_reason: str
    calls: Sequence[Call]


class Book(Protocol):
    """One turn's. Each step writes only where the answer still says STREAMING."""

    @property
    def calls(self) -> CallBook:
        """What tools run by."""
        ...

    def begin(self, conn: Conn, said: Message, answer: Message, *, model: str) -> bool:
        """Write down the user's message and the STREAMING answer. False: the message's id is taken; nothing is."""
        ...

    def said(self, conn: Conn) -> Message | None:
        """What the user said."""
        ...

    def answer(self, conn: Conn) -> Message | None:
        """The answer, as far as it is."""
        ...

    def rows(self, read: Sequence[Message]) -> list[Message]:
        """The newest messages in order of time, the turn's own last; `read` are those that Postgres has."""
        ...

    def calls_made(self, conn: Conn) -> list[Call]:
        """Every call of the turn, in the order in which the model made them."""
        ...

    def save_hop(self, conn: Conn, told: Told) -> bool:
        """Write down what the turn holds after a hop. False: the turn has ended meanwhile."""
        ...

    def close_lost(self, conn: Conn, hop: int, message: str) -> list[Call]:
        """Close the calls of a round that nobody runs any more, so that they never act; return them."""
        ...

    def complete(self, conn: Conn, stop_reason: str) -> bool:
        """End the turn well and count its tokens. False: it has ended already."""
        ...

    def fail(self, conn: Conn, code: ErrorCode, message: str, unsaved: str) -> bool:
        """End the turn in an error, with the text that was streamed and not saved yet; count its tokens.

        Returns:
            False where it has ended already; then nothing is changed.
        """
        ...


def book_of(runtime: Runtime, turn: TurnRef) -> Book:  # noqa: ARG001 - the other book needs its stores
    """The book that a turn is written in."""
    return Rows(turn)


class Rows:
    """A turn in Postgres."""

    calls: CallBook = tools

    def __init__(self, turn: TurnRef) -> None:
        self._turn = turn

    def begin(self, conn: Conn, said: Message, answer: Message, *, model: str) -> bool:
        """Insert both rows; other answers that hang in the conversation are failed."""
        return store.insert_rows(conn, self._turn, said, answer, model=model)

    def said(self, conn: Conn) -> Message | None:
        """Read the message before the answer; it is among the conversation's two newest rows."""
        newest = conversations.newest_messages(conn, self._turn.conversation_id, limit=2)
        return newest[0] if newest else None

    def answer(self, conn: Conn) -> Message | None:
        """Read the ASSISTANT row."""
        return conversations.turn_row(conn, self._turn.turn_id)

    def rows(self, read: Sequence[Message]) -> list[Message]:
        """What Postgres has is all there is."""
        return list(read)

    def calls_made(self, conn: Conn) -> list[Call]:
        """Read the turn's executions."""
        return tools.calls_of(conn, self._turn.turn_id)

    def save_hop(self, conn: Conn, told: Told) -> bool:
        """Update the ASSISTANT row, insert the calls, and a flat TOOL row for each that failed at once."""
        if not store.save_hop(
            conn,
            self._turn,
            content=told.content,
            segments=told.segments,
            tool_calls=told.tool_calls,
            usage=told.usage,
            stop_reason=told.stop_reason,
        ):
            return False
        tools.insert_calls(conn, told.calls)
        for call in told.calls:
            if call.status == CallStatus.FAILED:
                tools.insert_tool_row(conn, call, call.error_message or "")
        return True

    def close_lost(self, conn: Conn, hop: int, message: str) -> list[Call]:
        """Fail what is neither ended nor locked by whoever runs it."""
        return tools.fail_lost(conn, self._turn.turn_id, hop, message)

    def complete(self, conn: Conn, stop_reason: str) -> bool:
        """Complete the ASSISTANT row."""
        return store.complete(conn, self._turn, stop_reason)

    def fail(self, conn: Conn, code: ErrorCode, message: str, unsaved: str) -> bool:
        """Fail the ASSISTANT row and cancel what has not run."""
        return store.fail(conn, self._turn, code, message, unsaved)
