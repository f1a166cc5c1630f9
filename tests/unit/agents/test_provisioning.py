"""Default agents: one for each scope, however many ask at once."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from psycopg import Connection

from rolecall.agents.models import Agent, AgentStatus, AgentType
from rolecall.agents.palettes import JOB_SEEKER_TOOLS, RECRUITER_TOOLS
from rolecall.agents.provisioning import SYSTEM_AGENT_NAME, ensure_default_agents
from rolecall.db import Database
from rolecall.errors import Unauthorized
from rolecall.identity import Caller
from rolecall.ids import CompanyId
from tests.fakes import builders as build

AGENTS = "SELECT company_id, created_by_id, name, type, is_system FROM agent ORDER BY company_id NULLS LAST"


def test_a_recruiter_gets_the_companys_agent_and_their_own(db: Database, admin: Connection[Any]) -> None:
    ann = build.a_user(admin, company=build.a_company(admin))
    agent = ensure_default_agents(db, ann)
    assert (agent.type, set(agent.enabled_tools)) == (AgentType.RECRUITMENT_ASSISTANT, RECRUITER_TOOLS)
    assert admin.execute(AGENTS).fetchall() == [
        (ann.company_id, None, SYSTEM_AGENT_NAME, "RECRUITMENT_ASSISTANT", True),
        (None, ann.user_id, SYSTEM_AGENT_NAME, "JOB_MATCHING", True),
    ]
    assert admin.execute("SELECT activity_type FROM agent_activity").fetchall() == [("AGENT_CREATED",)] * 2


def test_a_job_seeker_gets_their_own_agent(db: Database, admin: Connection[Any]) -> None:
    agent = ensure_default_agents(db, build.a_user(admin))
    assert (agent.type, set(agent.enabled_tools)) == (AgentType.JOB_MATCHING, JOB_SEEKER_TOOLS)
    assert len(admin.execute(AGENTS).fetchall()) == 1


def test_a_second_look_changes_nothing_even_where_the_agent_was_edited(db: Database, admin: Connection[Any]) -> None:
    sam = build.a_user(admin)
    first = ensure_default_agents(db, sam)
    admin.execute("UPDATE agent SET name = 'Jeeves', status = 'DISABLED', enabled_tools = '{GET_ME}'")
    again = ensure_default_agents(db, sam)
    assert (again.id, again.name, again.status, again.enabled_tools) == (
        first.id,
        "Jeeves",
        AgentStatus.DISABLED,
        ["GET_ME"],
    )


def test_members_of_one_company_share_its_system_agent(db: Database, admin: Connection[Any]) -> None:
    acme = build.a_company(admin)
    members = [build.a_user(admin, company=acme, role=role) for role in ("OWNER", "MEMBER")]
    assert len({ensure_default_agents(db, member).id for member in members}) == 1


@pytest.mark.parametrize("with_company", [True, False])
def test_many_first_sessions_at_once_make_one_agent(with_company: bool, db: Database, admin: Connection[Any]) -> None:
    caller = build.a_user(admin, company=build.a_company(admin) if with_company else None)
    barrier = Barrier(8)

    def first_session(_: int) -> Agent:
        barrier.wait(10)
        return ensure_default_agents(db, caller)

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(first_session, range(8)))
    assert len({agent.id for agent in found}) == 1
    assert len(admin.execute(AGENTS).fetchall()) == (2 if with_company else 1)
    assert len(admin.execute("SELECT 1 FROM agent_activity").fetchall()) == (2 if with_company else 1)


def test_a_forged_company_provisions_nothing(db: Database, admin: Connection[Any]) -> None:
    sam = build.a_user(admin)
    for company in (build.a_company(admin), CompanyId(uuid4())):
        with pytest.raises(Unauthorized):
            ensure_default_agents(db, Caller(sam.user_id, company))
    assert admin.execute(AGENTS).fetchall() == []
