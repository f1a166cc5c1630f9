"""Changing an agent: by whom, to what, and a note of it."""

from dataclasses import fields, replace
from typing import Any, Final
from uuid import UUID

from psycopg import Connection
from psycopg.errors import UniqueViolation

from rolecall.agents import store
from rolecall.agents.capabilities import capabilities_of
from rolecall.agents.models import ActivityType, Agent
from rolecall.errors import ErrorCode, InvalidRequest, RolecallError, Unauthorized
from rolecall.identity import Caller
from rolecall.ids import AgentId

DEFAULTS: Final[dict[str, Any]] = {
    "llm_model": None,
    "small_llm_model": None,
    "system_prompt": None,
    "temperature": 0.7,
    "max_tokens": 4096,
    "max_context_messages": 20,
    "thinking_budget": None,
    "public": False,
}
"""What null stands for; a name has no default."""


def update_agent(conn: Connection[Any], caller: Caller, agent_id: UUID, changes: dict[str, Any]) -> Agent:
    """Change an agent of the scope that the caller acts in.

    Args:
        conn: the caller's transaction.
        caller: an owner or admin of the agent's company, or the person whose agent it is.
        agent_id: which.
        changes: checked values by column; None takes the default again.

    Raises:
        RolecallError: AGENT_INACTIVE where there is no such agent, or it is in maintenance.
        Unauthorized: the caller does not lead the company.
        InvalidRequest: the name cannot be changed, or is taken.
    """
    before = store.lock(conn, AgentId(agent_id))
    if before is None or before.company_id != caller.company_id:
        raise RolecallError("There is no such agent.", code=ErrorCode.AGENT_INACTIVE)
    if not store.leads(conn):
        raise Unauthorized(
            "Only owners and admins change a company's agents.", hint="Ask an owner or admin of the company."
        )
    after = replace(before, **_complete(changes))
    changed = sorted(entry.name for entry in fields(Agent) if getattr(before, entry.name) != getattr(after, entry.name))
    if not changed:
        return before
    if "name" in changed and not capabilities_of(before.kind).rename:
        raise InvalidRequest("name: this agent cannot be renamed.")
    try:
        stored = store.update(conn, after)
    except UniqueViolation as error:
        raise InvalidRequest("name: another agent has this name already.") from error
    if stored is None:
        raise RolecallError(f"{before.name} is in maintenance.", code=ErrorCode.AGENT_INACTIVE)
    store.note(conn, caller, ActivityType.AGENT_UPDATED, agent_id=before.id, details={"changed": changed})
    return stored


def _complete(changes: dict[str, Any]) -> dict[str, Any]:
    if changes.get("name", "") is None:
        raise InvalidRequest("name: an agent has to have one.")
    return {name: DEFAULTS[name] if value is None else value for name, value in changes.items()}
