"""Where a turn is written down: what the user said, its answer, its calls. Whoever works on a turn asks its book.

A turn that is stored is rows in Postgres; one that is not is items of the live table. Every method gets the caller's
transaction.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol
from uuid import UUID

from psycopg import Connection

from rolecall.conversations.models import Message
from rolecall.errors import ErrorCode
from rolecall.llm.stream import Usage
from rolecall.settings import Settings
from rolecall.tools.models import Call, CallBook
from rolecall.turns.opening import Opening, Place
from rolecall.turns.setting import Setting

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
    estimated: int = 0
    """Input tokens as they were estimated."""


class Book(Protocol):
    """One turn's. Each step writes only where the answer still says STREAMING."""

    @property
    def calls(self) -> CallBook:
        """What tools run by."""
        ...

    def opening(self, conn: Conn, place: Place, settings: Settings, *, with_user: bool) -> Opening:
        """Read what is there before the turn (or its next hop) speaks; its own rows are the last, once it has begun.

        Raises:
            TurnFailed: the conversation or its agent takes no turns.
            psycopg.errors.QueryCanceled: it did not come in time; read again without the user.
        """
        ...

    def begin(
        self, conn: Conn, said: Message, answer: Message, setting: Setting, *, replaces: UUID | None = None
    ) -> bool:
        """Write down the user's message and the STREAMING answer; `replaces` names a message that they take over from.

        Returns:
            False where the message's id is taken, or `replaces` is not there; then nothing is written.
        """
        ...

    def said(self, conn: Conn) -> Message | None:
        """What the user said."""
        ...

    def answer(self, conn: Conn) -> Message | None:
        """The answer, as far as it is."""
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
