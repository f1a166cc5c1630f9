"""Default agents: everybody finds one at first sight, and never two."""

from typing import Final

from psycopg.errors import InsufficientPrivilege

from rolecall.agents import store
from rolecall.agents.models import Agent, AgentType
from rolecall.agents.palettes import JOB_SEEKER_TOOLS, RECRUITER_TOOLS
from rolecall.db import Database
from rolecall.errors import Unauthorized
from rolecall.identity import Caller

SYSTEM_AGENT_NAME: Final = "Rolecall System Agent"


def ensure_default_agents(db: Database, caller: Caller) -> Agent:
    """Make the system agents that are missing: the company's, if the caller acts for one, and the caller's own.

    A race is decided by the unique key of (company, creator, name): the loser reads the winner's row.

    Returns:
        The system agent of the scope that the caller acts in.

    Raises:
        Unauthorized: the caller may not act for that company.
    """
    acting = _ensure(db, caller)
    if caller.company_id is not None:
        _ensure(db, caller.as_job_seeker())
    return acting


def _ensure(db: Database, caller: Caller) -> Agent:
    with db.transaction(caller) as conn:
        found = store.system_agent(conn, caller)
        if found is not None:
            return found
        recruiter = caller.mode == "recruiter"
        try:
            agent, _ = store.create(
                conn,
                caller,
                name=SYSTEM_AGENT_NAME,
                type=AgentType.RECRUITMENT_ASSISTANT if recruiter else AgentType.JOB_MATCHING,
                enabled_tools=RECRUITER_TOOLS if recruiter else JOB_SEEKER_TOOLS,
                is_system=True,
            )
        except InsufficientPrivilege as error:
            raise Unauthorized("You do not act for this company.") from error
        return agent
