"""SQL of tool definitions and of tool calls."""

from collections.abc import Sequence
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Connection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from rolecall.db.later import Later, ask_all
from rolecall.identity import Caller
from rolecall.ids import ConversationId, TurnId
from rolecall.llm.stream import Usage
from rolecall.text import storable
from rolecall.tools.declare import Tool as DeclaredTool
from rolecall.tools.models import Call, CallStatus, CallTimes, ToolDefinition

SELECT_DEFINITIONS: Final[LiteralString] = """
    SELECT definition.tool_code, definition.tool_type, definition.function_name,
           coalesce(overlay.name, definition.name) AS name,
           coalesce(overlay.description, definition.description) AS description,
           definition.search_queries, definition.category, definition.parameters_schema,
           definition.always_include,
           coalesce(overlay.requires_approval, definition.requires_approval) AS requires_approval,
           definition.requires_write, definition.requires_corpus
    FROM agent_tool_definition AS definition
    LEFT JOIN agent_tool_overlay AS overlay
        ON overlay.tool_definition_id = definition.id AND overlay.company_id = %(company_id)s
    WHERE coalesce(overlay.is_active, definition.is_active)
      AND definition.tool_type = ANY (
        SELECT unnest(coalesce(task.enabled_tools, agent.enabled_tools))
        FROM agent
        LEFT JOIN agent_conversation AS conversation ON conversation.id = %(conversation_id)s
        LEFT JOIN agent_task_config AS task
            ON task.agent_id = agent.id AND task.is_active
            AND task.task_code = coalesce(%(task_code)s, conversation.task_code)
        WHERE agent.id = coalesce(
            %(agent_id)s::uuid, (SELECT agent_id FROM agent_conversation WHERE id = %(conversation_id)s)
        )
      )
    ORDER BY definition.tool_code
"""
_CALL: Final[LiteralString] = """
    turn_id, tool_call_id, conversation_id, agent_id, hop, position, function_name, tool_code, tool_type, status, input,
    output, error_message, execution_time_ms
"""
INSERT_CALL: Final[LiteralString] = """
    INSERT INTO agent_tool_execution
        (turn_id, tool_call_id, conversation_id, agent_id, company_id, user_id, hop, position, tool_code,
         tool_type, function_name, status, input, error_message, finished_at)
    SELECT %(turn_id)s, %(tool_call_id)s, conversation_id, agent_id, company_id, user_id, %(hop)s, %(position)s,
           %(tool_code)s, %(tool_type)s, %(function_name)s, %(status)s, %(input)s, %(error_message)s,
           CASE WHEN %(status)s = 'FAILED' THEN now() END
    FROM agent_message WHERE id = %(turn_id)s
    ON CONFLICT (turn_id, tool_call_id) DO NOTHING
"""
INSERT_UNSTORED_CALL: Final[LiteralString] = """
    INSERT INTO agent_tool_execution
        (turn_id, tool_call_id, conversation_id, agent_id, company_id, user_id, hop, position, tool_code, tool_type,
         function_name, status, finished_at)
    VALUES (%(turn_id)s, %(tool_call_id)s, (SELECT id FROM agent_conversation WHERE id = %(conversation_id)s),
            %(agent_id)s, %(company_id)s, %(user_id)s, %(hop)s, %(position)s, %(tool_code)s, %(tool_type)s,
            %(function_name)s, %(status)s, CASE WHEN %(status)s = 'FAILED' THEN now() END)
    ON CONFLICT (turn_id, tool_call_id) DO NOTHING
"""
LOCK_CALL: Final[LiteralString] = f"""
    SELECT {_CALL} FROM agent_tool_execution
    WHERE turn_id = %(turn_id)s AND tool_call_id = %(tool_call_id)s
    FOR UPDATE
"""
START_CALL: Final[LiteralString] = """
    UPDATE agent_tool_execution SET status = 'RUNNING', started_at = clock_timestamp()
    WHERE turn_id = %(turn_id)s AND tool_call_id = %(tool_call_id)s
"""
ADD_THOUGHTS: Final[LiteralString] = """
    UPDATE agent_message
    SET content_segments = content_segments || %(segments)s, input_tokens = input_tokens + %(input_tokens)s,
        output_tokens = output_tokens + %(output_tokens)s, cached_tokens = cached_tokens + %(cached_tokens)s,
        cache_write_tokens = cache_write_tokens + %(cache_write_tokens)s
    WHERE id = %(turn_id)s AND role = 'ASSISTANT' AND status = 'STREAMING'
    RETURNING id
"""
SELECT_CALLS: Final[LiteralString] = f"""
    SELECT {_CALL} FROM agent_tool_execution WHERE turn_id = %(turn_id)s ORDER BY hop, position
"""
SELECT_TIMES: Final[LiteralString] = """
    SELECT tool_call_id, started_at, finished_at FROM agent_tool_execution WHERE turn_id = %(turn_id)s
"""
END_CALL: Final[LiteralString] = """
    UPDATE agent_tool_execution
    SET status = %(status)s, output = %(output)s, error_code = %(error_code)s, error_message = %(error_message)s,
        attempts = attempts + 1, execution_time_ms = %(execution_time_ms)s,
        started_at = coalesce(started_at, now()), finished_at = clock_timestamp()
    WHERE turn_id = %(turn_id)s AND tool_call_id = %(tool_call_id)s
"""
FAIL_LOST: Final[LiteralString] = f"""
    UPDATE agent_tool_execution
    SET status = 'FAILED', error_code = 'TOOL_ERROR', error_message = %(message)s, finished_at = now(),
        execution_time_ms = 0
    WHERE id IN (
        SELECT id FROM agent_tool_execution
        WHERE turn_id = %(turn_id)s AND hop = %(hop)s AND status IN ('PENDING', 'RUNNING')
        FOR UPDATE SKIP LOCKED
    )
    RETURNING {_CALL}
"""
LOCK_TURN_STATUS: Final[LiteralString] = """
    SELECT status FROM agent_message WHERE id = %(turn_id)s AND role = 'ASSISTANT' FOR SHARE
"""
INSERT_TOOL_ROW: Final[LiteralString] = """
    INSERT INTO agent_message
        (conversation_id, company_id, user_id, agent_id, role, status, content, tool_call_id, parent_message_id)
    SELECT conversation_id, company_id, user_id, agent_id, 'TOOL', %(status)s, %(content)s, %(tool_call_id)s, id
    FROM agent_message WHERE id = %(turn_id)s
    ON CONFLICT (parent_message_id, tool_call_id) DO NOTHING
"""
LOCK_SOURCES: Final[LiteralString] = """
    SELECT sources FROM agent_message WHERE id = %(turn_id)s AND role = 'ASSISTANT' FOR UPDATE
"""
SET_SOURCES: Final[LiteralString] = """
    UPDATE agent_message SET sources = %(sources)s WHERE id = %(turn_id)s AND role = 'ASSISTANT'
"""
DELETE_OTHER_DEFINITIONS: Final[LiteralString] = """
    DELETE FROM agent_tool_definition WHERE is_system AND tool_code <> ALL(%(codes)s) RETURNING tool_code
"""
UPSERT_DEFINITION: Final[LiteralString] = """
    INSERT INTO agent_tool_definition AS definition
        (tool_type, tool_code, name, function_name, description, search_queries, category, always_include,
         requires_approval, requires_write, requires_corpus, runs_in, parameters_schema)
    VALUES (%(type)s, %(code)s, %(name)s, %(code)s, %(description)s, %(search_queries)s, %(category)s,
            %(always_include)s, %(requires_approval)s, %(requires_write)s, %(requires_corpus)s, %(runs_in)s,
            %(schema)s)
    ON CONFLICT (tool_code) DO UPDATE
    SET (tool_type, name, description, search_queries, category, always_include, requires_approval,
         requires_write, requires_corpus, runs_in, parameters_schema, version)
        = (excluded.tool_type,
           CASE WHEN definition.is_customized THEN definition.name ELSE excluded.name END,
           CASE WHEN definition.is_customized THEN definition.description ELSE excluded.description END,
           CASE WHEN definition.is_customized THEN definition.search_queries ELSE excluded.search_queries END,
           excluded.category, excluded.always_include, excluded.requires_approval, excluded.requires_write,
           excluded.requires_corpus, excluded.runs_in, excluded.parameters_schema,
           definition.version + CASE WHEN NOT definition.is_customized
               AND (definition.name, definition.description, definition.search_queries)
                   IS DISTINCT FROM (excluded.name, excluded.description, excluded.search_queries)
               THEN 1 ELSE 0 END)
    WHERE (definition.tool_type, definition.category, definition.always_include, definition.requires_approval,
           definition.requires_write, definition.requires_corpus, definition.runs_in, definition.parameters_schema)
          IS DISTINCT FROM
          (excluded.tool_type, excluded.category, excluded.always_include, excluded.requires_approval,
           excluded.requires_write, excluded.requires_corpus, excluded.runs_in, excluded.parameters_schema)
       OR (NOT definition.is_customized
           AND (definition.name, definition.description, definition.search_queries)
               IS DISTINCT FROM (excluded.name, excluded.description, excluded.search_queries))
    RETURNING xmax = 0
"""


def ask_definitions(
    conn: Connection[Any],
    caller: Caller,
    conversation_id: ConversationId,
    task_code: str | None,
    *,
    agent_id: UUID | None = None,
) -> Later[list[ToolDefinition]]:
    """Ask for the active definitions that a conversation's agent (or task) enables, the company's overlay applied."""
    values = {
        "company_id": caller.company_id,
        "conversation_id": conversation_id,
        "task_code": task_code,
        "agent_id": agent_id,
    }
    return ask_all(conn, class_row(ToolDefinition), SELECT_DEFINITIONS, values)


def insert_calls(conn: Connection[Any], calls: Sequence[Call]) -> None:
    """Store the calls of a round; one that is there already stays as it is."""
    with conn.cursor() as cursor:
        cursor.executemany(
            INSERT_CALL,
            [
                {
                    "turn_id": call.turn_id,
                    "tool_call_id": call.tool_call_id,
                    "hop": call.hop,
                    "position": call.position,
                    "tool_code": call.tool_code,
                    "tool_type": call.tool_type,
                    "function_name": call.function_name,
                    "status": call.status,
                    "input": Jsonb(storable(call.input)),
                    "error_message": call.error_message,
                }
                for call in calls
            ],
        )


def insert_unstored_calls(conn: Connection[Any], caller: Caller, calls: Sequence[Call]) -> None:
    """Log the calls of a round of a turn that has no row, without what they say."""
    with conn.cursor() as cursor:
        cursor.executemany(
            INSERT_UNSTORED_CALL,
            [
                {
                    "turn_id": call.turn_id,
                    "tool_call_id": call.tool_call_id,
                    "conversation_id": call.conversation_id,
                    "agent_id": call.agent_id,
                    "company_id": caller.company_id,
                    "user_id": caller.user_id,
                    "hop": call.hop,
                    "position": call.position,
                    "tool_code": call.tool_code,
                    "tool_type": call.tool_type,
                    "function_name": call.function_name,
                    "status": call.status,
                }
                for call in calls
            ],
        )


def lock_call(conn: Connection[Any], turn_id: TurnId, tool_call_id: str) -> Call | None:
    """Read a call and hold it: whoever else wants to run it waits for this transaction's end."""
    with conn.cursor(row_factory=class_row(Call)) as cursor:
        return cursor.execute(LOCK_CALL, {"turn_id": turn_id, "tool_call_id": tool_call_id}).fetchone()


def start_call(conn: Connection[Any], turn_id: TurnId, tool_call_id: str) -> None:
    """Say that a call runs which nobody holds meanwhile."""
    conn.execute(START_CALL, {"turn_id": turn_id, "tool_call_id": tool_call_id})


def add_thoughts(conn: Connection[Any], turn_id: UUID, segments: Sequence[dict[str, Any]], usage: Usage) -> bool:
    """Add what a tool thought to the turn's row, and the tokens it took. False: the turn has ended."""
    values = {
        "turn_id": turn_id,
        "segments": Jsonb(storable(list(segments))),
        "input_tokens": usage.input_tokens,
        "output_tokens": usage.output_tokens,
        "cached_tokens": usage.cache_read,
        "cache_write_tokens": usage.cache_write,
    }
    return conn.execute(ADD_THOUGHTS, values).fetchone() is not None


def calls_of(conn: Connection[Any], turn_id: TurnId) -> list[Call]:
    """Every call of a turn, in the order in which the model made them."""
    with conn.cursor(row_factory=class_row(Call)) as cursor:
        return cursor.execute(SELECT_CALLS, {"turn_id": turn_id}).fetchall()


def call_times(conn: Connection[Any], turn_id: TurnId) -> dict[str, CallTimes]:
    """When each call of a turn ran, by the call's id."""
    with conn.cursor(row_factory=class_row(CallTimes)) as cursor:
        return {row.tool_call_id: row for row in cursor.execute(SELECT_TIMES, {"turn_id": turn_id})}


def end_call(conn: Connection[Any], call: Call, *, content: str, error_code: str | None = None) -> None:
    """Store how a call ended, in its own row and in the flat TOOL row.

    Args:
        conn: the caller's transaction.
        call: the call with its final status, output, error and time.
        content: the output (or error) as text.
        error_code: code of the error.
    """
    conn.execute(
        END_CALL,
        {
            "turn_id": call.turn_id,
            "tool_call_id": call.tool_call_id,
            "status": call.status,
            "output": Jsonb(storable(call.output)) if call.output is not None else None,
            "error_code": error_code,
            "error_message": storable(call.error_message),
            "execution_time_ms": call.execution_time_ms,
        },
    )
    insert_tool_row(conn, call, content)


def fail_lost(conn: Connection[Any], turn_id: TurnId, hop: int, message: str) -> list[Call]:
    """Close the calls of a round that nobody runs any more, so that they never act; return them."""
    with conn.cursor(row_factory=class_row(Call)) as cursor:
        lost = cursor.execute(FAIL_LOST, {"turn_id": turn_id, "hop": hop, "message": message}).fetchall()
    for call in lost:
        insert_tool_row(conn, call, message)
    return lost


def turn_goes_on(conn: Connection[Any], turn_id: UUID) -> bool:
    """Say whether the turn has not ended; until the transaction ends it will not."""
    row = conn.execute(LOCK_TURN_STATUS, {"turn_id": turn_id}).fetchone()
    return row is not None and row[0] in {"STREAMING", "AWAITING_APPROVAL"}


def insert_tool_row(conn: Connection[Any], call: Call, content: str) -> None:
    """Write the flat TOOL row of a call that has ended."""
    conn.execute(
        INSERT_TOOL_ROW,
        {
            "turn_id": call.turn_id,
            "tool_call_id": call.tool_call_id,
            "status": "COMPLETED" if call.status == CallStatus.SUCCEEDED else "FAILED",
            "content": storable(content),
        },
    )


def delete_other_definitions(conn: Connection[Any], codes: Sequence[str]) -> list[str]:
    """Remove system definitions that are declared no more."""
    rows = conn.execute(DELETE_OTHER_DEFINITIONS, {"codes": list(codes)}).fetchall()
    return [code for (code,) in rows]


def upsert_definition(conn: Connection[Any], tool: DeclaredTool) -> bool | None:
    """Write a declared tool where it differs: True when it is new, False when it changed, None when it is there."""
    row = conn.execute(
        UPSERT_DEFINITION,
        {
            "type": tool.tool_type,
            "code": tool.code,
            "name": tool.name,
            "description": tool.description,
            "search_queries": tool.search_queries,
            "category": tool.category,
            "always_include": tool.always_include,
            "requires_approval": tool.requires_approval,
            "requires_write": tool.requires_write,
            "requires_corpus": tool.requires_corpus,
            "runs_in": tool.runs_in,
            "schema": Jsonb(tool.schema()),
        },
    ).fetchone()
    return row[0] if row else None


def lock_sources(conn: Connection[Any], turn_id: UUID) -> list[dict[str, Any]]:
    """Read a turn's sources and hold its row."""
    row = conn.execute(LOCK_SOURCES, {"turn_id": turn_id}).fetchone()
    return row[0] if row else []


def set_sources(conn: Connection[Any], turn_id: UUID, sources: Sequence[dict[str, Any]]) -> None:
    """Replace a turn's sources."""
    conn.execute(SET_SOURCES, {"turn_id": turn_id, "sources": Jsonb(storable(list(sources)))})
