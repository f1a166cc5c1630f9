"""Agents that visitors without an account may talk to: published by those who lead, paid for by the owner."""

from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg.errors import InsufficientPrivilege

from rolecall.agents import store
from rolecall.billing.store import Used, count_turn
from rolecall.db import Database
from rolecall.identity import Caller
from rolecall.ids import UserId
from tests.fakes.builders import a_company, a_user, an_agent

VISITOR = Caller(UserId(uuid4()), anonymous=True)


@pytest.fixture
def owner(admin: psycopg.Connection[Any]) -> Caller:
    return a_user(admin, company=a_company(admin))


def test_a_visitor_sees_public_agents_that_are_active_and_no_others(
    admin: psycopg.Connection[Any], db: Database, owner: Caller
) -> None:
    public = an_agent(admin, owner, public=True)
    an_agent(admin, owner)
    an_agent(admin, owner, public=True, status="DISABLED")

    with db.transaction(VISITOR) as conn:
        seen = store.public_agents(conn)
        assert conn.execute("SELECT app.user_id(), app.company_id()").fetchone() == (None, None)
    with db.transaction(a_user(admin)) as conn:
        assert conn.execute("SELECT id FROM agent WHERE public").fetchall() == []
    assert [agent.id for agent in seen] == [public]


def test_only_those_who_lead_a_company_make_its_agents_public(
    admin: psycopg.Connection[Any], db: Database, owner: Caller
) -> None:
    agent = an_agent(admin, owner)
    member = a_user(admin, company=owner.company_id, role="MEMBER")
    publish = "UPDATE agent SET public = true WHERE id = %s RETURNING public"

    with pytest.raises(InsufficientPrivilege), db.transaction(member) as conn:
        conn.execute(publish, [agent])
    with db.transaction(owner) as conn:
        assert conn.execute(publish, [agent]).fetchone() == (True,)


def test_what_a_visitor_uses_is_counted_for_the_company_of_a_public_agent_alone(
    admin: psycopg.Connection[Any], db: Database, owner: Caller
) -> None:
    public, private = an_agent(admin, owner, public=True), an_agent(admin, owner)

    for agent in (public, public, private):
        with db.transaction(VISITOR) as conn:
            count_turn(conn, VISITOR, agent, Used(10, 5, 2))

    counted = admin.execute(
        "SELECT agent_id, company_id, message_count, input_tokens, output_tokens, cached_tokens FROM agent_token_usage"
        " WHERE agent_id = ANY(%s)",
        [[public, private]],
    ).fetchall()
    assert counted == [(public, owner.company_id, 2, 20, 10, 4)]
