"""An agent as a client sees it, with what its kind allows."""

from typing import Any

from rolecall.agents.capabilities import capabilities_of
from rolecall.agents.models import Agent


def agent_wire(agent: Agent) -> dict[str, Any]:
    """Render an agent; its persona stays inside."""
    return {
        "agentId": str(agent.id),
        "name": agent.name,
        "description": agent.description,
        "type": agent.type,
        "kind": agent.kind,
        "status": agent.status,
        "isSystem": agent.is_system,
        "scope": "company" if agent.company_id else "user",
        "capabilities": capabilities_of(agent.kind).plain(),
    }
