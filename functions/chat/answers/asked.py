"""Who asks."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rolecall.agents.models import Agent, AgentStatus
from rolecall.errors import ErrorCode, RolecallError
from rolecall.identity import Caller

Data = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """Who asks, on which socket, and the id of the delivery (the same where it is delivered twice)."""

    caller: Caller
    connection_id: str
    delivery_id: UUID


def usable(agent: Agent | None, caller: Caller) -> Agent:
    """Return the agent if it is active and of the scope that the caller acts in; a visitor sees public ones alone.

    Raises:
        RolecallError: AGENT_INACTIVE.
    """
    if agent is None or (agent.company_id != caller.company_id and not caller.anonymous):
        raise RolecallError("There is no such agent.", code=ErrorCode.AGENT_INACTIVE)
    if agent.status != AgentStatus.ACTIVE:
        raise RolecallError(f"{agent.name} is {agent.status.lower()}.", code=ErrorCode.AGENT_INACTIVE)
    return agent
