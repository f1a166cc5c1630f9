"""SQL of what is used: tokens and calls, by agent and day."""

from dataclasses import dataclass
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Connection

from rolecall.identity import Caller

_INTO_USAGE: Final[LiteralString] = """
    INSERT INTO agent_token_usage AS usage
        (agent_id, company_id, user_id, period, message_count, tool_call_count, input_tokens, output_tokens,
         cached_tokens)
    SELECT agent.id, agent.company_id, CASE WHEN agent.company_id IS NULL THEN agent.created_by_id END,
           (now() AT TIME ZONE 'UTC')::date, 1,
"""
_ADDED: Final[LiteralString] = """
    ON CONFLICT (agent_id, period) DO UPDATE
    SET message_count = usage.message_count + 1,
        tool_call_count = usage.tool_call_count + excluded.tool_call_count,
        input_tokens = usage.input_tokens + excluded.input_tokens,
        output_tokens = usage.output_tokens + excluded.output_tokens,
        cached_tokens = usage.cached_tokens + excluded.cached_tokens
"""
COUNT_TURN: Final[LiteralString] = f"""
    {_INTO_USAGE} %(tool_calls)s, %(input_tokens)s, %(output_tokens)s, %(cached_tokens)s
    FROM agent WHERE id = %(agent_id)s
    {_ADDED}
"""
COUNT_STORED_TURN: Final[LiteralString] = f"""
    {_INTO_USAGE} jsonb_array_length(turn.tool_calls), turn.input_tokens, turn.output_tokens, turn.cached_tokens
    FROM agent_message AS turn JOIN agent ON agent.id = turn.agent_id
    WHERE turn.id = %(turn_id)s AND turn.role = 'ASSISTANT'
    {_ADDED}
"""
COUNT_VISIT: Final[LiteralString] = """
    SELECT app.count_visit(%(agent_id)s, %(input_tokens)s, %(output_tokens)s, %(cached_tokens)s)
"""


@dataclass(frozen=True, slots=True)
class Used:
    """What a turn used."""

    input_tokens: int
    output_tokens: int
    cached_tokens: int
    tool_calls: int = 0


def count_turn(conn: Connection[Any], caller: Caller, agent_id: UUID, used: Used) -> None:
    """Add a turn to its agent's day, which is its company's (or its person's); a visitor's to the agent's owner."""
    statement = COUNT_VISIT if caller.anonymous else COUNT_TURN
    conn.execute(
        statement,
        {
            "agent_id": agent_id,
            "input_tokens": used.input_tokens,
            "output_tokens": used.output_tokens,
            "cached_tokens": used.cached_tokens,
            "tool_calls": used.tool_calls,
        },
    )


def count_stored_turn(conn: Connection[Any], turn_id: UUID) -> None:
    """Add a turn that has a row to its agent's day."""
    conn.execute(COUNT_STORED_TURN, {"turn_id": turn_id})
