"""SQL of agents, their task configurations and their activity."""

from collections.abc import Iterable
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Connection
from psycopg.rows import class_row, kwargs_row
from psycopg.types.json import Jsonb

from rolecall.agents.models import ActivityType, Agent, AgentKind, AgentStatus, AgentType, RuntimeProfile, TaskConfig
from rolecall.db.later import Later, ask_one
from rolecall.identity import Caller
from rolecall.ids import AgentId, ConversationId

_AGENT: Final[LiteralString] = """
    id, company_id, created_by_id, external_id, name, description, type, kind, is_system, status, llm_provider,
    llm_model, small_llm_model, thinking_budget, temperature, max_tokens, system_prompt, user_doc, heartbeat, config,
    rag_enabled, rag_top_k, rag_min_score, embedding_model, embedding_dimension, enabled_tools, max_context_messages,
    max_messages_per_minute, max_tokens_per_day, runtime_profile, prompt_log_enabled, public, created_at, updated_at
"""
_IN_SCOPE: Final[LiteralString] = """
    company_id IS NOT DISTINCT FROM %(company_id)s::uuid
    AND (company_id IS NOT NULL OR created_by_id = %(user_id)s)
"""

SELECT_AGENT: Final[LiteralString] = f"SELECT {_AGENT} FROM agent WHERE id = %(id)s"
SELECT_AGENTS: Final[LiteralString] = f"""
    SELECT {_AGENT} FROM agent WHERE {_IN_SCOPE} ORDER BY is_system DESC, lower(name), id
"""
SELECT_DEFAULT_AGENT: Final[LiteralString] = f"""
    SELECT {_AGENT} FROM agent WHERE {_IN_SCOPE} AND status = 'ACTIVE' AND kind = 'standard'
    ORDER BY is_system DESC, created_at, id
    LIMIT 1
"""
SELECT_PUBLIC_AGENTS: Final[LiteralString] = f"""
    SELECT {_AGENT} FROM agent WHERE public AND status = 'ACTIVE' ORDER BY lower(name), id
"""
SELECT_SYSTEM_AGENT: Final[LiteralString] = f"""
    SELECT {_AGENT} FROM agent WHERE {_IN_SCOPE} AND is_system AND kind = 'standard' ORDER BY created_at, id LIMIT 1
"""
SELECT_AGENT_BY_NAME: Final[LiteralString] = f"""
    SELECT {_AGENT} FROM agent
    WHERE company_id IS NOT DISTINCT FROM %(company_id)s::uuid
      AND created_by_id IS NOT DISTINCT FROM %(created_by_id)s::uuid AND name = %(name)s
"""
INSERT_AGENT: Final[LiteralString] = f"""
    INSERT INTO agent
        (company_id, created_by_id, name, description, type, is_system, system_prompt, enabled_tools, rag_enabled)
    VALUES (%(company_id)s, %(created_by_id)s, %(name)s, %(description)s, %(type)s, %(is_system)s, %(system_prompt)s,
        %(enabled_tools)s, %(rag_enabled)s)
    ON CONFLICT ON CONSTRAINT agent_name_key DO NOTHING
    RETURNING {_AGENT}
"""
UPDATE_AGENT: Final[LiteralString] = f"""
    UPDATE agent SET name = %(name)s, llm_model = %(llm_model)s, small_llm_model = %(small_llm_model)s,
        system_prompt = %(system_prompt)s, temperature = %(temperature)s, max_tokens = %(max_tokens)s,
        max_context_messages = %(max_context_messages)s, thinking_budget = %(thinking_budget)s,
        public = %(public)s
    WHERE id = %(id)s
    RETURNING {_AGENT}
"""
LOCK_AGENT: Final[LiteralString] = f"SELECT {_AGENT} FROM agent WHERE id = %(id)s FOR UPDATE"
LEADS: Final[LiteralString] = "SELECT (SELECT app.leads_company()) OR (SELECT app.company_id()) IS NULL"
SELECT_AGENT_OF: Final[LiteralString] = f"""
    SELECT {_AGENT} FROM agent WHERE id = coalesce(
        %(agent_id)s::uuid, (SELECT agent_id FROM agent_conversation WHERE id = %(conversation_id)s)
    )
"""
_TASK: Final[LiteralString] = """
    SELECT id, agent_id, task_code, system_prompt, llm_model, temperature, max_tokens, rag_enabled, rag_top_k,
           rag_min_score, rag_document_tags, enabled_tools, few_shot_examples, output_format, output_schema,
           max_response_length, required_fields, forbidden_topics, mode, max_iterations
    FROM agent_task_config
"""
SELECT_TASK_CONFIG_OF: Final[LiteralString] = f"""
    {_TASK}
    WHERE is_active AND (agent_id, task_code) = (
        SELECT coalesce(%(agent_id)s::uuid, c.agent_id), coalesce(%(task_code)s, c.task_code)
        FROM (SELECT) AS here LEFT JOIN agent_conversation AS c ON c.id = %(conversation_id)s
    )
"""
INSERT_ACTIVITY: Final[LiteralString] = """
    INSERT INTO agent_activity (id, activity_type, agent_id, company_id, user_id, conversation_id, details)
    VALUES (coalesce(%(id)s::uuid, gen_random_uuid()), %(activity_type)s, %(agent_id)s, %(company_id)s, %(user_id)s,
        %(conversation_id)s, %(details)s)
    ON CONFLICT (id) DO NOTHING
"""


def get(conn: Connection[Any], agent_id: AgentId) -> Agent | None:
    """Read an agent that the caller may see."""
    with conn.cursor(row_factory=kwargs_row(_agent)) as cursor:
        return cursor.execute(SELECT_AGENT, {"id": agent_id}).fetchone()


def in_scope(conn: Connection[Any], caller: Caller) -> list[Agent]:
    """List the agents of the company that the caller acts for, or their own: system agents first, then by name."""
    with conn.cursor(row_factory=kwargs_row(_agent)) as cursor:
        return cursor.execute(SELECT_AGENTS, _scope(caller)).fetchall()


def public_agents(conn: Connection[Any]) -> list[Agent]:
    """List the agents that a visitor may talk to, by name. For others the database adds those of their own scope."""
    with conn.cursor(row_factory=kwargs_row(_agent)) as cursor:
        return cursor.execute(SELECT_PUBLIC_AGENTS).fetchall()


def default_agent(conn: Connection[Any], caller: Caller) -> Agent | None:
    """Find the agent that answers where the caller names none: the system agent, else the oldest active one."""
    with conn.cursor(row_factory=kwargs_row(_agent)) as cursor:
        return cursor.execute(SELECT_DEFAULT_AGENT, _scope(caller)).fetchone()


def system_agent(conn: Connection[Any], caller: Caller) -> Agent | None:
    """Find the system agent of the caller's scope, whatever its status."""
    with conn.cursor(row_factory=kwargs_row(_agent)) as cursor:
        return cursor.execute(SELECT_SYSTEM_AGENT, _scope(caller)).fetchone()


def create(
    conn: Connection[Any],
    caller: Caller,
    *,
    name: str,
    type: AgentType,
    description: str | None = None,
    system_prompt: str | None = None,
    enabled_tools: Iterable[str] = (),
    is_system: bool = False,
) -> tuple[Agent, bool]:
    """Make an agent in the caller's scope, and note it.

    A company's system agent has no creator, so there is one for all members; system agents answer from documents,
    others once that is switched on.

    Returns:
        The agent and True; or the one that had this name already, as it is, and False.
    """
    columns = {
        "company_id": caller.company_id,
        "created_by_id": None if is_system and caller.company_id else caller.user_id,
        "name": name,
        "description": description,
        "type": type,
        "is_system": is_system,
        "system_prompt": system_prompt,
        "enabled_tools": sorted(enabled_tools),
        "rag_enabled": is_system,
    }
    with conn.cursor(row_factory=kwargs_row(_agent)) as cursor:
        made = cursor.execute(INSERT_AGENT, columns).fetchone()
        if made is None:
            # A new statement, so that it sees the row which a concurrent transaction has just committed.
            there = cursor.execute(SELECT_AGENT_BY_NAME, columns).fetchone()
            if there is None:
                raise LookupError("the agent that had this name was deleted meanwhile")
            return there, False
    note(conn, caller, ActivityType.AGENT_CREATED, agent_id=made.id, details={"type": type, "isSystem": is_system})
    return made, True


def lock(conn: Connection[Any], agent_id: AgentId) -> Agent | None:
    """Read an agent that the caller is about to change; nobody else changes it meanwhile."""
    with conn.cursor(row_factory=kwargs_row(_agent)) as cursor:
        return cursor.execute(LOCK_AGENT, {"id": agent_id}).fetchone()


def update(conn: Connection[Any], agent: Agent) -> Agent | None:
    """Store what `updateAgent` can change; None: it is gone, or an operator has it in maintenance."""
    values = {
        "id": agent.id,
        "name": agent.name,
        "llm_model": agent.llm_model,
        "small_llm_model": agent.small_llm_model,
        "system_prompt": agent.system_prompt,
        "temperature": agent.temperature,
        "max_tokens": agent.max_tokens,
        "max_context_messages": agent.max_context_messages,
        "thinking_budget": agent.thinking_budget,
        "public": agent.public,
    }
    with conn.cursor(row_factory=kwargs_row(_agent)) as cursor:
        return cursor.execute(UPDATE_AGENT, values).fetchone()


def leads(conn: Connection[Any]) -> bool:
    """Say whether the caller decides in their scope: an owner or admin of the company, or anyone for themselves."""
    row = conn.execute(LEADS).fetchone()
    return bool(row and row[0])


def ask_of_conversation(
    conn: Connection[Any], conversation_id: ConversationId, *, agent_id: UUID | None = None
) -> Later[Agent | None]:
    """Ask for the agent of a conversation; of one that has no row it is named."""
    values = {"conversation_id": conversation_id, "agent_id": agent_id}
    return ask_one(conn, kwargs_row(_agent), SELECT_AGENT_OF, values)


def ask_task_of_conversation(
    conn: Connection[Any], conversation_id: ConversationId, task_code: str | None, *, agent_id: UUID | None = None
) -> Later[TaskConfig | None]:
    """Ask for what a task overrides: the named one, or the one that the conversation is linked to."""
    values = {"conversation_id": conversation_id, "task_code": task_code, "agent_id": agent_id}
    return ask_one(conn, class_row(TaskConfig), SELECT_TASK_CONFIG_OF, values)


def note(
    conn: Connection[Any],
    caller: Caller,
    activity: ActivityType,
    *,
    agent_id: UUID | None = None,
    conversation_id: UUID | None = None,
    details: dict[str, Any] | None = None,
    once: UUID | None = None,
) -> None:
    """Add to the audit log: ids, counts and codes, never a text that a person wrote.

    With `once`, an id of what led to it: noted once, however often that is delivered.
    """
    conn.execute(
        INSERT_ACTIVITY,
        {
            "id": once,
            "activity_type": activity,
            "agent_id": agent_id,
            "company_id": caller.company_id,
            "user_id": caller.user_id,
            "conversation_id": conversation_id,
            "details": Jsonb(details or {}),
        },
    )


def _scope(caller: Caller) -> dict[str, Any]:
    return {"company_id": caller.company_id, "user_id": caller.user_id}


def _agent(*, type: str, kind: str, status: str, runtime_profile: str, **columns: Any) -> Agent:
    return Agent(
        type=AgentType(type),
        kind=AgentKind(kind),
        status=AgentStatus(status),
        runtime_profile=RuntimeProfile(runtime_profile),
        **columns,
    )
