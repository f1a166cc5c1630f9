"""SQL of a turn's rows. Each step writes only where the ASSISTANT row still says STREAMING."""

from collections.abc import Sequence
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Connection
from psycopg.types.json import Jsonb

from rolecall.conversations.models import Message
from rolecall.errors import ErrorCode
from rolecall.llm.stream import Usage
from rolecall.protocol.limits import WORKFLOW_ITERATIONS
from rolecall.text import storable
from rolecall.turns.models import TurnRef

INSERT_ROWS: Final[LiteralString] = """
    WITH place AS (
        SELECT id, company_id, user_id, agent_id FROM agent_conversation WHERE id = %(conversation_id)s
    ), replaced AS (
        SELECT position FROM agent_message
        WHERE id = %(replaces)s::uuid AND conversation_id = %(conversation_id)s AND role = 'USER'
          AND superseded_by IS NULL
    ), said AS (
        INSERT INTO agent_message
            (id, conversation_id, company_id, user_id, agent_id, role, status, content, page_context, rag_context,
             completed_at)
        SELECT %(message_id)s, id, company_id, user_id, agent_id, 'USER', 'COMPLETED', %(content)s,
               %(page_context)s, %(rag_context)s, now()
        FROM place
        WHERE %(replaces)s::uuid IS NULL OR EXISTS (SELECT FROM replaced)
        ON CONFLICT (id) DO NOTHING
        RETURNING id
    ), answered AS (
        INSERT INTO agent_message
            (id, conversation_id, company_id, user_id, agent_id, role, status, parent_message_id, model, sources)
        SELECT %(turn_id)s, place.id, company_id, user_id, agent_id, 'ASSISTANT', 'STREAMING', said.id, %(model)s,
               %(sources)s
        FROM place, said
    ), stranded AS (
        UPDATE agent_message AS message
        SET status = 'FAILED', error_code = 'STREAM_TIMEOUT', completed_at = now(),
            error_message = 'The answer was interrupted.',
            superseded_by = CASE WHEN message.position >= (SELECT position FROM replaced) THEN said.id END
        FROM said
        WHERE message.conversation_id = %(conversation_id)s AND role = 'ASSISTANT' AND status = 'STREAMING'
          AND superseded_by IS NULL
        RETURNING message.superseded_by
    ), superseded AS (
        UPDATE agent_message AS message SET superseded_by = said.id
        FROM said, replaced
        WHERE message.conversation_id = %(conversation_id)s AND message.position >= replaced.position
          AND role IN ('USER', 'ASSISTANT') AND status <> 'STREAMING' AND superseded_by IS NULL
        RETURNING message.id
    ), counted AS (
        UPDATE agent_conversation AS conversation
        SET message_count = greatest(message_count + 2 - (SELECT count(*) FROM superseded)
                - (SELECT count(superseded_by) FROM stranded), 2),
            last_message_at = now(), title = coalesce(title, %(title)s),
            titled_count = CASE WHEN %(replaces)s::uuid IS NULL THEN titled_count END,
            context_summary = CASE WHEN outdated.yes THEN NULL ELSE context_summary END,
            summarized_until = CASE WHEN outdated.yes THEN NULL ELSE summarized_until END
        FROM said, LATERAL (
            SELECT coalesce((SELECT position FROM replaced) <= (
                SELECT summarized_until FROM agent_conversation WHERE id = %(conversation_id)s
            ), false) AS yes
        ) AS outdated
        WHERE conversation.id = %(conversation_id)s
    )
    SELECT id FROM said
"""
SAVE_HOP: Final[LiteralString] = """
    UPDATE agent_message
    SET content = %(content)s, content_segments = %(segments)s, tool_calls = %(tool_calls)s,
        input_tokens = input_tokens + %(input_tokens)s, output_tokens = output_tokens + %(output_tokens)s,
        cached_tokens = cached_tokens + %(cached_tokens)s,
        estimated_tokens = estimated_tokens + %(estimated_tokens)s,
        cache_write_tokens = cache_write_tokens + %(cache_write_tokens)s, stop_reason = %(stop_reason)s
    WHERE id = %(turn_id)s AND status = 'STREAMING'
    RETURNING id
"""
COMPLETE: Final[LiteralString] = """
    UPDATE agent_message
    SET status = 'COMPLETED', stop_reason = %(stop_reason)s, completed_at = now(),
        total_time_ms = (extract(epoch FROM clock_timestamp() - created_at) * 1000)::int
    WHERE id = %(turn_id)s AND status = 'STREAMING'
    RETURNING id
"""
FAIL: Final[LiteralString] = """
    UPDATE agent_message
    SET status = 'FAILED', error_code = %(code)s, error_message = %(message)s, completed_at = now(),
        total_time_ms = (extract(epoch FROM clock_timestamp() - created_at) * 1000)::int,
        content = content || %(unsaved)s,
        content_segments = CASE WHEN %(unsaved)s = '' THEN content_segments
            ELSE content_segments || jsonb_build_array(jsonb_build_object(
                'type', 'text', 'text', %(unsaved)s::text, 'hop', %(last_hop)s::int)) END
    WHERE id = %(turn_id)s AND status IN ('STREAMING', 'AWAITING_APPROVAL')
    RETURNING id
"""
CANCEL_CALLS: Final[LiteralString] = """
    UPDATE agent_tool_execution SET status = 'CANCELLED', finished_at = now(), error_message = 'Cancelled.'
    WHERE id IN (
        SELECT id FROM agent_tool_execution
        WHERE turn_id = %(turn_id)s AND status IN ('PENDING', 'AWAITING_APPROVAL', 'RUNNING')
        FOR UPDATE SKIP LOCKED  -- one that runs at this moment finds the turn ended, and gives its outcome up
    )
"""
HOLD: Final[LiteralString] = "SELECT pg_advisory_xact_lock(hashtextextended(%(name)s, 0))"
HOLD_SHARED: Final[LiteralString] = "SELECT pg_advisory_xact_lock_shared(hashtextextended(%(name)s, 0))"
ADD_TOKENS: Final[LiteralString] = """
    UPDATE agent_conversation
    SET total_input_tokens = total_input_tokens + %(input_tokens)s,
        total_output_tokens = total_output_tokens + %(output_tokens)s
    WHERE id = %(conversation_id)s
"""
ADD_USAGE: Final[LiteralString] = """
    UPDATE agent_conversation AS conversation
    SET total_input_tokens = total_input_tokens + turn.input_tokens,
        total_output_tokens = total_output_tokens + turn.output_tokens, last_message_at = now()
    FROM agent_message AS turn
    WHERE conversation.id = turn.conversation_id AND turn.id = %(turn_id)s
"""


def insert_rows(
    conn: Connection[Any], turn: TurnRef, said: Message, answer: Message, *, model: str, replaces: UUID | None = None
) -> bool:
    """Store the user's message and the STREAMING row of its answer; other answers that hang there are failed.

    With `replaces`, the id of an earlier message of the user's: that one and all after it give way to the new one.

    Returns:
        False where the message's id is taken, or the one to replace is not there; then nothing is stored.
    """
    row = conn.execute(
        INSERT_ROWS,
        {
            "conversation_id": turn.conversation_id,
            "turn_id": answer.id,
            "message_id": said.id,
            "replaces": replaces,
            "content": said.content,
            "page_context": Jsonb(storable(said.page_context)),
            "rag_context": Jsonb(storable(said.rag_context)) if said.rag_context else None,
            "sources": Jsonb(storable(answer.sources)),
            "model": model,
            "title": _first_line(said)[:80],
        },
    ).fetchone()
    return row is not None


def _first_line(said: Message) -> str:
    names = [str(file["filename"]) for file in said.attachments]
    return next(iter(said.content.strip().splitlines() or names), "")


def save_hop(
    conn: Connection[Any],
    turn: TurnRef,
    *,
    content: str,
    segments: Sequence[dict[str, Any]],
    tool_calls: Sequence[dict[str, Any]],
    usage: Usage,
    stop_reason: str,
    estimated: int = 0,
) -> bool:
    """Store what the turn holds after a hop. False: the turn has ended meanwhile."""
    row = conn.execute(
        SAVE_HOP,
        {
            "turn_id": turn.turn_id,
            "content": storable(content),
            "segments": Jsonb(storable(list(segments))),
            "tool_calls": Jsonb(storable(list(tool_calls))),
            "input_tokens": usage.input_tokens,
            "output_tokens": usage.output_tokens,
            "cached_tokens": usage.cache_read,
            "cache_write_tokens": usage.cache_write,
            "estimated_tokens": estimated,
            "stop_reason": stop_reason,
        },
    ).fetchone()
    return row is not None


def complete(conn: Connection[Any], turn: TurnRef, stop_reason: str) -> bool:
    """End the turn well and count its tokens. False: it has ended already."""
    row = conn.execute(COMPLETE, {"turn_id": turn.turn_id, "stop_reason": stop_reason}).fetchone()
    if row is not None:
        conn.execute(ADD_USAGE, {"turn_id": turn.turn_id})
    return row is not None


def fail(conn: Connection[Any], turn: TurnRef, code: ErrorCode, message: str, unsaved: str) -> bool:
    """End the turn in an error, with the text that was streamed and not saved yet; count its tokens.

    Returns:
        False where it has ended already; then nothing is changed.
    """
    row = conn.execute(
        FAIL,
        {
            "turn_id": turn.turn_id,
            "code": code,
            "message": message,
            "unsaved": storable(unsaved),
            "last_hop": WORKFLOW_ITERATIONS + 1,
        },
    ).fetchone()
    if row is not None:
        conn.execute(CANCEL_CALLS, {"turn_id": turn.turn_id})
        conn.execute(ADD_USAGE, {"turn_id": turn.turn_id})
    return row is not None


def cancel_calls(conn: Connection[Any], turn_id: UUID) -> None:
    """Cancel the calls of a turn that nobody runs at this moment."""
    conn.execute(CANCEL_CALLS, {"turn_id": turn_id})


def add_usage(conn: Connection[Any], conversation_id: UUID, input_tokens: int, output_tokens: int) -> None:
    """Count tokens of a turn that has no row."""
    values = {"conversation_id": conversation_id, "input_tokens": input_tokens, "output_tokens": output_tokens}
    conn.execute(ADD_TOKENS, values)


def hold_open(conn: Connection[Any], turn_id: UUID) -> None:
    """Until the transaction ends, a turn without a row is not ended by anybody who asks for `hold_closed`."""
    conn.execute(HOLD_SHARED, {"name": f"turn {turn_id}"})


def hold_closed(conn: Connection[Any], turn_id: UUID) -> None:
    """Wait for all who hold the turn open; until the transaction ends, nobody does."""
    conn.execute(HOLD, {"name": f"turn {turn_id}"})


def hold_sources(conn: Connection[Any], turn_id: UUID) -> None:
    """One at a time until the transaction ends."""
    conn.execute(HOLD, {"name": f"sources {turn_id}"})
