"""SQL of conversations and of reading their messages. Row-level security keeps each to its person."""

import re
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Connection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from rolecall.conversations.models import Conversation, Message, TurnRecord
from rolecall.db.later import Later, ask_all, ask_one
from rolecall.identity import Caller
from rolecall.ids import AgentId, ConversationId, TurnId
from rolecall.llm.tool_results import json_safe
from rolecall.text import storable

_CONVERSATION: Final[LiteralString] = """
    id, company_id, user_id, agent_id, title, status, task_code, context_summary, summarized_until, message_count,
    last_message_at, created_at, feedback_rating, feedback_comment
"""
_MESSAGE: Final[LiteralString] = """
    id, conversation_id, position, role, status, content, content_segments, tool_calls, sources, page_context,
    rag_context, origin, stop_reason, error_code, error_message, input_tokens, output_tokens, cached_tokens,
    total_time_ms, created_at, feedback_rating, feedback_comment,
    (
        SELECT coalesce(jsonb_agg(jsonb_build_object(
            'id', file.id, 'position', file.position, 'key', file.key, 'filename', file.filename,
            'mime_type', file.mime_type, 'size_bytes', file.size_bytes, 'document_name', file.document_name
        ) ORDER BY file.position), '[]')
        FROM agent_message_attachment AS file WHERE file.message_id = agent_message.id
    ) AS attachments
"""
MESSAGE_COLUMNS: Final[LiteralString] = _MESSAGE
"""What makes a `Message`."""

INSERT_CONVERSATION: Final[LiteralString] = f"""
    INSERT INTO agent_conversation (id, company_id, user_id, agent_id, title, title_source, task_code)
    VALUES (%(id)s, %(company_id)s, %(user_id)s, %(agent_id)s, %(title)s,
        CASE WHEN %(title)s::text IS NULL THEN 'first_line' ELSE 'user' END, %(task_code)s)
    ON CONFLICT (id) DO NOTHING
    RETURNING {_CONVERSATION}
"""
SELECT_CONVERSATION: Final[LiteralString] = f"""
    SELECT {_CONVERSATION} FROM agent_conversation WHERE id = %(id)s
"""
SELECT_CONVERSATIONS: Final[LiteralString] = f"""
    SELECT {_CONVERSATION} FROM agent_conversation
    WHERE user_id = %(user_id)s AND status = 'ACTIVE'
      AND company_id IS NOT DISTINCT FROM %(company_id)s::uuid
      AND (%(pattern)s::text IS NULL OR title ILIKE %(pattern)s::text OR EXISTS (
          SELECT FROM agent_message m
          WHERE m.conversation_id = agent_conversation.id AND m.role IN ('USER', 'ASSISTANT')
            AND m.superseded_by IS NULL AND m.content ILIKE %(pattern)s::text
      ))
      AND (%(time)s::timestamptz IS NULL OR (last_message_at, id) < (%(time)s::timestamptz, %(id)s::uuid))
    ORDER BY last_message_at DESC, id DESC
    LIMIT %(limit)s
"""
RENAME: Final[LiteralString] = f"""
    UPDATE agent_conversation SET title = %(title)s, title_source = 'user'
    WHERE id = %(id)s AND status = 'ACTIVE'
    RETURNING {_CONVERSATION}
"""
MARK_DELETED: Final[LiteralString] = """
    UPDATE agent_conversation SET status = 'DELETED' WHERE id = %(id)s
"""
SELECT_NEWEST_MESSAGES: Final[LiteralString] = f"""
    SELECT {_MESSAGE} FROM agent_message
    WHERE conversation_id = %(conversation_id)s AND role IN ('USER', 'ASSISTANT') AND superseded_by IS NULL
      AND (%(before)s::bigint IS NULL OR position < %(before)s::bigint)
    ORDER BY position DESC
    LIMIT %(limit)s
"""
SELECT_CONTEXT: Final[LiteralString] = f"""
    SELECT {_MESSAGE} FROM agent_message
    WHERE conversation_id = %(conversation_id)s AND role IN ('USER', 'ASSISTANT') AND superseded_by IS NULL
      AND (%(replaces)s::uuid IS NULL OR position < (
          SELECT position FROM agent_message
          WHERE id = %(replaces)s::uuid AND conversation_id = %(conversation_id)s
      ))
    ORDER BY position DESC
    LIMIT (
        SELECT agent.max_context_messages + %(more)s FROM agent
        JOIN agent_conversation AS conversation ON conversation.agent_id = agent.id
        WHERE conversation.id = %(conversation_id)s
    )
"""
MEND_ROWS: Final[LiteralString] = """
    UPDATE agent_message AS message
    SET content = mended.content, content_segments = mended.segments, tool_calls = mended.calls,
        sources = mended.sources
    FROM unnest(
        %(ids)s::uuid[], %(contents)s::text[], %(segments)s::jsonb[], %(calls)s::jsonb[], %(sources)s::jsonb[]
    ) AS mended (id, content, segments, calls, sources)
    WHERE message.conversation_id = %(conversation_id)s AND message.id = mended.id
      AND message.role = 'ASSISTANT' AND message.status IN ('COMPLETED', 'FAILED')
"""
SELECT_TURN_ROW: Final[LiteralString] = f"""
    SELECT {_MESSAGE} FROM agent_message WHERE id = %(id)s AND role = 'ASSISTANT'
"""
IS_CURRENT: Final[LiteralString] = """
    SELECT EXISTS (
        SELECT FROM agent_message
        WHERE id = %(id)s AND conversation_id = %(conversation_id)s AND role = 'USER' AND superseded_by IS NULL
    )
"""
RATE_MESSAGE: Final[LiteralString] = """
    UPDATE agent_message
    SET feedback_rating = %(rating)s, feedback_comment = %(comment)s, feedback_at = now()
    WHERE id = %(message_id)s AND conversation_id = %(id)s AND role = 'ASSISTANT'
      AND status IN ('COMPLETED', 'FAILED')
    RETURNING id
"""
RATE_CONVERSATION: Final[LiteralString] = """
    UPDATE agent_conversation SET feedback_rating = %(rating)s, feedback_comment = %(comment)s
    WHERE id = %(id)s AND status <> 'DELETED'
    RETURNING id
"""
SELECT_MODEL_AND_END: Final[LiteralString] = """
    SELECT model, completed_at FROM agent_message WHERE id = %(id)s
"""
SELECT_TOOL_ROWS: Final[LiteralString] = """
    SELECT parent_message_id, tool_call_id, content, status FROM agent_message
    WHERE conversation_id = %(conversation_id)s AND role = 'TOOL' AND parent_message_id = ANY(%(parents)s)
"""


def create(
    conn: Connection[Any],
    caller: Caller,
    *,
    conversation_id: ConversationId,
    agent_id: AgentId,
    title: str | None,
    task_code: str | None,
) -> Conversation:
    """Insert a conversation; repeated with the same id, return the one that is there."""
    with conn.cursor(row_factory=class_row(Conversation)) as cursor:
        row = cursor.execute(
            INSERT_CONVERSATION,
            {
                "id": conversation_id,
                "company_id": caller.company_id,
                "user_id": caller.user_id,
                "agent_id": agent_id,
                "title": title,
                "task_code": task_code,
            },
        ).fetchone()
        return row or cursor.execute(SELECT_CONVERSATION, {"id": conversation_id}).fetchone()  # type: ignore[return-value]


def get(conn: Connection[Any], conversation_id: ConversationId) -> Conversation | None:
    """Read a conversation that the caller may see."""
    return ask(conn, conversation_id).get()


def ask(conn: Connection[Any], conversation_id: ConversationId) -> Later[Conversation | None]:
    """Ask for a conversation that the caller may see."""
    return ask_one(conn, class_row(Conversation), SELECT_CONVERSATION, {"id": conversation_id})


def ask_context(
    conn: Connection[Any], conversation_id: ConversationId, *, more: int = 0, replaces: UUID | None = None
) -> Later[list[Message]]:
    """Ask for as many of the newest USER and ASSISTANT rows as the agent's context takes, and `more`; newest first.

    With `replaces`, a message's id: of the rows before that one.
    """
    values = {"conversation_id": conversation_id, "more": more, "replaces": replaces}
    return ask_all(conn, class_row(Message), SELECT_CONTEXT, values)


def rename(conn: Connection[Any], conversation_id: ConversationId, title: str) -> Conversation | None:
    """Change a title. None: there is no such conversation, or it is active no more."""
    with conn.cursor(row_factory=class_row(Conversation)) as cursor:
        return cursor.execute(RENAME, {"id": conversation_id, "title": title}).fetchone()


def mark_deleted(conn: Connection[Any], conversation_id: ConversationId) -> None:
    """Delete a conversation as its user sees it; its rows stay until retention takes them."""
    conn.execute(MARK_DELETED, {"id": conversation_id})


def page(
    conn: Connection[Any],
    caller: Caller,
    *,
    limit: int,
    before: tuple[datetime, UUID] | None,
    query: str | None = None,
) -> list[Conversation]:
    """The caller's active conversations, newest first; `before` is (time, id) of the last one seen.

    With `query`: those whose title or messages contain it.
    """
    time, last_id = before or (None, None)
    with conn.cursor(row_factory=class_row(Conversation)) as cursor:
        return cursor.execute(
            SELECT_CONVERSATIONS,
            {
                "user_id": caller.user_id,
                "company_id": caller.company_id,
                "time": time,
                "id": last_id,
                "limit": limit,
                "pattern": _containing(query) if query and query.strip() else None,
            },
        ).fetchall()


def _containing(query: str) -> str:
    """A LIKE pattern for texts that contain the query; its own wildcards mean themselves."""
    literal = re.sub(r"([\\%_])", r"\\\1", query.strip())
    return f"%{literal}%"


def newest_messages(
    conn: Connection[Any], conversation_id: ConversationId, *, limit: int, before: int | None = None
) -> list[Message]:
    """The newest USER and ASSISTANT rows (older than position `before`), in order of time."""
    with conn.cursor(row_factory=class_row(Message)) as cursor:
        rows = cursor.execute(
            SELECT_NEWEST_MESSAGES,
            {"conversation_id": conversation_id, "limit": limit, "before": before},
        ).fetchall()
    return rows[::-1]


def turn_row(conn: Connection[Any], turn_id: TurnId) -> Message | None:
    """The ASSISTANT row of a turn that the caller may see."""
    with conn.cursor(row_factory=class_row(Message)) as cursor:
        return cursor.execute(SELECT_TURN_ROW, {"id": turn_id}).fetchone()


def is_current(conn: Connection[Any], conversation_id: ConversationId, message_id: UUID) -> bool:
    """Say whether a conversation has this message of its user's, and no other has taken its place."""
    row = conn.execute(IS_CURRENT, {"id": message_id, "conversation_id": conversation_id}).fetchone()
    return bool(row and row[0])


def rate(
    conn: Connection[Any],
    conversation_id: ConversationId,
    message_id: UUID | None,
    rating: int | None,
    comment: str | None,
) -> bool:
    """Keep what its person says of an answer, or of the whole conversation; no rating takes it back.

    Returns:
        False where there is no such conversation, or no such answer that has ended.
    """
    statement = RATE_MESSAGE if message_id else RATE_CONVERSATION
    values = {"id": conversation_id, "message_id": message_id, "rating": rating, "comment": comment}
    return conn.execute(statement, values).fetchone() is not None


def turn_record(conn: Connection[Any], turn_id: TurnId) -> TurnRecord | None:
    """A turn's row with the model that answered and the time of its end."""
    row = turn_row(conn, turn_id)
    rest = conn.execute(SELECT_MODEL_AND_END, {"id": turn_id}).fetchone()
    return TurnRecord(row, *rest) if row and rest else None


def mend_rows(conn: Connection[Any], conversation_id: ConversationId, rows: Sequence[Message]) -> int:
    """Store the content, segments, calls and sources of ended answers; return how many were stored."""
    return conn.execute(
        MEND_ROWS,
        {
            "conversation_id": conversation_id,
            "ids": [row.id for row in rows],
            "contents": [storable(row.content) for row in rows],
            "segments": [_json(row.content_segments) for row in rows],
            "calls": [_json(row.tool_calls) for row in rows],
            "sources": [_json(row.sources) for row in rows],
        },
    ).rowcount


def _json(value: Any) -> Jsonb:
    return Jsonb(storable(json_safe(value)))


def tool_outputs(
    conn: Connection[Any], conversation_id: ConversationId, parents: list[UUID]
) -> dict[tuple[UUID, str], tuple[str, bool]]:
    """Flat TOOL rows of some turns: (turn, call id) → (output, success)."""
    if not parents:
        return {}
    rows = conn.execute(SELECT_TOOL_ROWS, {"conversation_id": conversation_id, "parents": parents}).fetchall()
    return {(parent, call): (content, status == "COMPLETED") for parent, call, content, status in rows}
