"""Which book a turn is written in."""

from rolecall.turns.book import Book
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.rows import Rows
from rolecall.turns.unstored.book import Unstored


def book_of(runtime: Runtime, turn: TurnRef) -> Book:
    """Open a turn's book."""
    return Rows(turn) if turn.stored else Unstored(runtime.live, turn, ttl=runtime.ttl(turn))
