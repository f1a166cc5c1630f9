"""Who the caller is, and which agents are theirs."""

from functions.chat.answers.asked import Asked, Data
from rolecall.agents import provisioning
from rolecall.agents import store as agents
from rolecall.agents.wire import agent_wire
from rolecall.errors import Unauthorized
from rolecall.platform import store as platform
from rolecall.protocol.requests import WhoAmI
from rolecall.turns.models import Runtime


def who_am_i(runtime: Runtime, asked: Asked, _: WhoAmI) -> Data:
    """Tell the caller who they are and for whom they act; make their default agents where they are missing."""
    caller = asked.caller
    if caller.anonymous:
        return _visitor(runtime, asked)
    with runtime.db.transaction(caller) as conn:
        me = platform.user_snapshot(conn, caller)
        companies = platform.companies_of(conn, caller)
    if me is None or me.company_id != caller.company_id:
        raise Unauthorized("There is no such user, or they do not act for this company.")
    provisioning.ensure_default_agents(runtime.db, caller)
    with runtime.db.transaction(caller) as conn:
        shown = [agent_wire(agent) for agent in agents.in_scope(conn, caller)]
        default = agents.default_agent(conn, caller)
    return {
        "anonymous": False,
        "user": me.wire(),
        "mode": caller.mode,
        "companies": [company.wire() for company in companies],
        "agents": shown,
        "defaultAgentId": str(default.id) if default else None,
    }


def _visitor(runtime: Runtime, asked: Asked) -> Data:
    with runtime.db.transaction(asked.caller, read_only=True) as conn:
        shown = agents.public_agents(conn)
    return {
        "anonymous": True,
        "user": None,
        "mode": asked.caller.mode,
        "companies": [],
        "agents": [agent_wire(agent) for agent in shown],
        "defaultAgentId": str(shown[0].id) if shown else None,
    }
