"""Where a page ended, as text that a client hands back."""

from datetime import datetime
from uuid import UUID

from rolecall.conversations.models import Conversation
from rolecall.errors import InvalidRequest

_SEPARATOR = "~"


def cursor_of(last: Conversation) -> str:
    """Name the place after the last conversation of a page."""
    return f"{last.last_message_at.isoformat()}{_SEPARATOR}{last.id}"


def place_of(cursor: str | None) -> tuple[datetime, UUID] | None:
    """Read a cursor.

    Raises:
        InvalidRequest: it is not one of ours.
    """
    if cursor is None:
        return None
    time, _, last_id = cursor.partition(_SEPARATOR)
    try:
        return datetime.fromisoformat(time), UUID(last_id)
    except ValueError as error:
        raise InvalidRequest("before: is not a cursor from an earlier page.") from error


def position_of(cursor: str | None) -> int | None:
    """Read the cursor of a page of messages, which is a position.

    Raises:
        InvalidRequest: it is not one of ours.
    """
    if cursor is None:
        return None
    if not cursor.isascii() or not cursor.isdigit() or len(cursor) > 18:
        raise InvalidRequest("before: is not a cursor from an earlier page.")
    return int(cursor)
