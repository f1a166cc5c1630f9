"""The demo data."""

from typing import Any

from psycopg import Connection

from local.demo import DEMO_JOB_SEEKER, DEMO_RECRUITER, ensure_demo
from local.postgres import EmbeddedPostgres
from rolecall.agents.provisioning import ensure_default_agents
from rolecall.db import Database
from rolecall.platform.store import update_user, user_snapshot


def test_both_demo_people_can_work_and_what_they_change_stays(
    db: Database, admin: Connection[Any], postgres: EmbeddedPostgres
) -> None:
    for _ in range(2):
        ensure_demo(postgres.url("accounts"))
        seen = []
        for caller in (DEMO_RECRUITER, DEMO_JOB_SEEKER):
            ensure_default_agents(db, caller)
            with db.transaction(caller) as conn:
                me = user_snapshot(conn, caller)
                assert me is not None
                seen.append((me.name, me.company_name, me.role_in_company, me.plan, me.title))
                update_user(conn, caller.user_id, {"title": "Changed"})
    assert seen == [
        ("Robin Lindqvist", "Northwind Talent", "OWNER", "PRO", "Changed"),
        ("Sam Okafor", None, None, "FREE", "Changed"),
    ]
