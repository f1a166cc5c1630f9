"""What a hop works with: the opening, the turn's own two rows, and the calls of its earlier hops."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from uuid import UUID

from psycopg import Connection

from rolecall.conversations import history
from rolecall.conversations import store as conversations
from rolecall.conversations.mend import lacks_results
from rolecall.conversations.mending import mend_past
from rolecall.conversations.models import Message
from rolecall.identity import Caller
from rolecall.ids import ConversationId
from rolecall.llm.types import Message as WireMessage
from rolecall.tools import select
from rolecall.tools.models import Call, ToolDefinition
from rolecall.turns.book import Book
from rolecall.turns.models import TurnRef
from rolecall.turns.opening import Opening
from rolecall.turns.outputs import with_outputs
from rolecall.turns.setting import Setting


@dataclass(frozen=True, slots=True)
class Material:
    """Everything a hop works with. `turn_row` holds what earlier hops of the turn left."""

    setting: Setting
    offered: list[ToolDefinition]
    past: list[WireMessage]
    user_row: Message
    turn_row: Message
    calls: list[Call]
    past_rows: list[Message] = field(default_factory=list)
    """The rows that `past` was made of."""
    summary: str | None = None
    """What was said before them."""
    scale: float = 1.0
    """What an estimate of tokens is to be multiplied by."""
    held: dict[UUID, bytes | None] = field(default_factory=dict)
    """Files that were read already, by the attachment's id; None: it is not there. A request that is built anew finds
    them here."""


def first_material(
    conn: Connection[Any], caller: Caller, opening: Opening, user_row: Message, turn_row: Message, forced: Sequence[str]
) -> Material:
    """Put together what the first hop works with; its two rows are about to be stored."""
    past = mend_past(conn, ConversationId(opening.setting.conversation.id), opening.rows)
    return Material(
        setting=opening.setting,
        offered=select.offered_tools(caller, opening.enabled, forced=forced),
        past=history.messages_of(past),
        user_row=user_row,
        turn_row=turn_row,
        calls=[],
        past_rows=past,
        summary=opening.summary,
        scale=opening.scale,
    )


def next_material(conn: Connection[Any], turn: TurnRef, opening: Opening, book: Book) -> Material | None:
    """Put together what a later hop works with. None: the turn is not its conversation's newest answer."""
    if len(opening.rows) < 2 or opening.rows[-1].id != turn.turn_id:
        return None
    *earlier, user_row, turn_row = opening.rows
    past = mend_past(conn, ConversationId(opening.setting.conversation.id), earlier)
    calls = book.calls_made(conn)
    forced = (user_row.page_context or {}).get("forcedTools") or []
    return Material(
        setting=opening.setting,
        offered=select.offered_tools(turn.caller, opening.enabled, forced=forced),
        past=history.messages_of(past),
        user_row=user_row,
        turn_row=replace(turn_row, tool_calls=with_outputs(turn_row.tool_calls, calls)),
        calls=calls,
        past_rows=past,
        summary=opening.summary,
        scale=opening.scale,
    )


def past_messages(conn: Connection[Any], conversation_id: ConversationId, rows: Sequence[Message]) -> list[WireMessage]:
    """Rebuild what the model is shown of earlier turns."""
    unanswered = [row.id for row in rows if lacks_results(row)]
    return history.messages_of(rows, conversations.tool_outputs(conn, conversation_id, unanswered))
