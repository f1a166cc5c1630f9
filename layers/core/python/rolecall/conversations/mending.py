"""Rows that a turn reads are mended where they are stored, too: once, and never at the cost of the turn."""

from collections.abc import Sequence
from typing import Any

from psycopg import Connection, Error

from rolecall.conversations import store
from rolecall.conversations.mend import lacks_results, mended
from rolecall.conversations.models import Message
from rolecall.ids import ConversationId
from rolecall.telemetry import count, log, log_failure


def mend_past(conn: Connection[Any], conversation_id: ConversationId, rows: Sequence[Message]) -> list[Message]:
    """Return the rows of ended turns made whole, and store those that were not.

    Args:
        conn: the caller's transaction; the caller holds the conversation's lease, so no other turn writes here.
        conversation_id: theirs.
        rows: as they were read.
    """
    unanswered = [row.id for row in rows if lacks_results(row)]
    outputs = store.tool_outputs(conn, conversation_id, unanswered)
    whole = [mended(row, outputs) for row in rows]
    changed = [row for row, before in zip(whole, rows, strict=True) if row is not before]
    if changed:
        _store(conn, conversation_id, changed)
    return whole


def _store(conn: Connection[Any], conversation_id: ConversationId, changed: Sequence[Message]) -> None:
    facts = {"conversation_id": str(conversation_id)}
    try:
        with conn.transaction():
            stored = store.mend_rows(conn, conversation_id, changed)
    except Error as error:  # the turn goes on with what it has; the next one tries again
        log_failure("stored rows were not mended", error, **facts)
        return
    if stored:
        log.warning("stored rows mended", extra=facts | {"rows": stored})
        count("StoredRowMended", stored)
