"""SQL of summaries and titles. Each is written only onto what it was made from, so that of two runs one wins."""

from dataclasses import dataclass
from typing import Any, Final, LiteralString

from psycopg import Connection
from psycopg.rows import class_row, tuple_row

from rolecall.conversations.models import Message
from rolecall.conversations.store import MESSAGE_COLUMNS
from rolecall.db.later import Later, ask_one
from rolecall.ids import AgentId, ConversationId
from rolecall.llm.stream import Usage


@dataclass(frozen=True, slots=True)
class Standing:
    """How a conversation stands: what its summary covers, how its title was made, how long its context may be."""

    agent_id: AgentId
    title: str | None
    title_source: str
    """first_line, model, or user: then it stays."""
    titled_count: int | None
    """How many messages there were when the title was made."""
    message_count: int
    context_summary: str | None
    summarized_until: int | None
    uncovered: int
    """Messages that the summary does not cover."""
    max_context_messages: int
    small_llm_model: str | None
    """The agent's own small model."""


SELECT_STANDING: Final[LiteralString] = """
    SELECT agent_id, title, title_source, titled_count, message_count, context_summary, summarized_until,
           max_context_messages, small_llm_model,
           (SELECT count(*) FROM agent_message AS message
            WHERE message.conversation_id = conversation.id AND role IN ('USER', 'ASSISTANT')
              AND superseded_by IS NULL AND position > coalesce(summarized_until, 0)) AS uncovered
    FROM agent_conversation AS conversation JOIN agent ON agent.id = agent_id
    WHERE conversation.id = %(id)s AND conversation.status <> 'DELETED'
"""
SELECT_OLDEST: Final[LiteralString] = f"""
    SELECT {MESSAGE_COLUMNS} FROM agent_message
    WHERE conversation_id = %(id)s AND role IN ('USER', 'ASSISTANT') AND superseded_by IS NULL
      AND position > %(after)s
      AND position < (
          SELECT min(position) FROM (
              SELECT position FROM agent_message
              WHERE conversation_id = %(id)s AND role IN ('USER', 'ASSISTANT') AND superseded_by IS NULL
              ORDER BY position DESC
              LIMIT %(keep)s
          ) AS newest
      )
    ORDER BY position
    LIMIT %(most)s
"""
# The messages are counted again: one that was taken back meanwhile must not live on in the summary.
SET_SUMMARY: Final[LiteralString] = """
    UPDATE agent_conversation
    SET context_summary = %(summary)s, summarized_until = %(until)s,
        total_input_tokens = total_input_tokens + %(input_tokens)s,
        total_output_tokens = total_output_tokens + %(output_tokens)s
    WHERE id = %(id)s AND status <> 'DELETED' AND summarized_until IS NOT DISTINCT FROM %(before)s::bigint
      AND %(count)s = (
          SELECT count(*) FROM agent_message
          WHERE conversation_id = %(id)s AND role IN ('USER', 'ASSISTANT') AND superseded_by IS NULL
            AND position > coalesce(%(before)s::bigint, 0) AND position <= %(until)s
      )
    RETURNING id
"""
SET_TITLE: Final[LiteralString] = """
    UPDATE agent_conversation
    SET title = coalesce(%(title)s, title), title_source = 'model', titled_count = %(count)s,
        total_input_tokens = total_input_tokens + %(input_tokens)s,
        total_output_tokens = total_output_tokens + %(output_tokens)s
    WHERE id = %(id)s AND status <> 'DELETED' AND title_source <> 'user'
      AND titled_count IS NOT DISTINCT FROM %(before)s::integer
    RETURNING title
"""

SELECT_WEIGHED: Final[LiteralString] = """
    SELECT model, input_tokens + cached_tokens + cache_write_tokens, estimated_tokens FROM agent_message
    WHERE conversation_id = %(id)s AND role = 'ASSISTANT' AND input_tokens > 0 AND estimated_tokens > 0
    ORDER BY position DESC
    LIMIT 1
"""
BELIEVED: Final = (0.4, 1.7)
"""A factor beyond these is no property of a tokenizer: the model was asked more than once, or the like."""


def ask_weighed(conn: Connection[Any], conversation_id: ConversationId) -> Later[tuple[Any, ...] | None]:
    """Ask for (model, tokens as counted, tokens as estimated) of the newest answer whose request was weighed."""
    return ask_one(conn, tuple_row, SELECT_WEIGHED, {"id": conversation_id})


def scale_of(weighed: tuple[Any, ...] | None, model: str) -> float:
    """What to multiply an estimate by for this model; 1 where another model answered last."""
    if weighed is None or weighed[0] != model:
        return 1.0
    least, most = BELIEVED
    scale = float(weighed[1] / weighed[2])
    return scale if least <= scale <= most else 1.0


def standing(conn: Connection[Any], conversation_id: ConversationId) -> Standing | None:
    """Read how a conversation of the caller's stands. None: there is none, or it is deleted."""
    with conn.cursor(row_factory=class_row(Standing)) as cursor:
        return cursor.execute(SELECT_STANDING, {"id": conversation_id}).fetchone()


def oldest_uncovered(
    conn: Connection[Any], conversation_id: ConversationId, *, after: int | None, keep: int, most: int
) -> list[Message]:
    """Read messages after a position, in order of time: at most `most`, and never one of the `keep` newest."""
    values = {"id": conversation_id, "after": after or 0, "keep": keep, "most": most}
    with conn.cursor(row_factory=class_row(Message)) as cursor:
        return cursor.execute(SELECT_OLDEST, values).fetchall()


@dataclass(frozen=True, slots=True)
class Rolled:
    """A summary that was rolled forward: from which position (None: there was none), to which, over how many rows."""

    summary: str
    before: int | None
    until: int
    count: int
    usage: Usage


def set_summary(conn: Connection[Any], conversation_id: ConversationId, rolled: Rolled) -> bool:
    """Store a summary. False: another was stored meanwhile, or a message that it covers was taken back."""
    row = conn.execute(
        SET_SUMMARY,
        {
            "id": conversation_id,
            "summary": rolled.summary,
            "before": rolled.before,
            "until": rolled.until,
            "count": rolled.count,
            **_tokens(rolled.usage),
        },
    ).fetchone()
    return row is not None


def set_title(
    conn: Connection[Any],
    conversation_id: ConversationId,
    title: str | None,
    *,
    before: int | None,
    count: int,
    usage: Usage,
) -> str | None:
    """Store a title that was made over `count` messages; none keeps the one that is there and is not tried again soon.

    Returns:
        The title; None where another was made meanwhile, or the user has given one.
    """
    values = {"id": conversation_id, "title": title, "before": before, "count": count, **_tokens(usage)}
    row = conn.execute(SET_TITLE, values).fetchone()
    return row[0] if row else None


def _tokens(usage: Usage) -> dict[str, int]:
    return {
        "input_tokens": usage.input_tokens + usage.cache_read + usage.cache_write,
        "output_tokens": usage.output_tokens,
    }
