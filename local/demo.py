"""Who there is on one machine: a company with its recruiter, and a job seeker. Written as rolecall_accounts,
the role that sign-up uses, through its own policies; row-level security stays on."""

from typing import Any, Final, LiteralString
from uuid import UUID

import psycopg

from rolecall.db.connect import connect
from rolecall.identity import Caller
from rolecall.ids import CompanyId, UserId

COMPANY_ID: Final = CompanyId(UUID("c0000000-0000-4000-8000-000000000001"))
DEMO_RECRUITER: Final = Caller(UserId(UUID("a0000000-0000-4000-8000-000000000001")), COMPANY_ID)
DEMO_JOB_SEEKER: Final = Caller(UserId(UUID("a0000000-0000-4000-8000-000000000002")))

PEOPLE: Final[tuple[dict[str, Any], ...]] = (
    {
        "id": DEMO_RECRUITER.user_id,
        "email": "robin.recruiter@example.com",
        "first_name": "Robin",
        "last_name": "Lindqvist",
        "title": "Recruiter",
        "location": "Stockholm, Sweden",
    },
    {
        "id": DEMO_JOB_SEEKER.user_id,
        "email": "sam.seeker@example.com",
        "first_name": "Sam",
        "last_name": "Okafor",
        "title": "Backend Engineer",
        "location": "Berlin, Germany",
    },
)

INSERT_USER: Final[LiteralString] = """
    INSERT INTO app_user (id, email, first_name, last_name, title, location, email_verified_at)
    VALUES (%(id)s, %(email)s, %(first_name)s, %(last_name)s, %(title)s, %(location)s, now())
    ON CONFLICT (id) DO NOTHING
"""
INSERT_COMPANY: Final[LiteralString] = """
    INSERT INTO company (id, billing_owner_id) VALUES (%(company_id)s, %(owner_id)s) ON CONFLICT (id) DO NOTHING
"""
INSERT_PROFILE: Final[LiteralString] = """
    INSERT INTO company_profile (company_id, name, website, description, industry, size, location)
    VALUES (%(company_id)s, 'Northwind Talent', 'https://northwind.example', 'Recruits engineers for the Nordics.',
        'Recruitment', '11-50', 'Stockholm, Sweden')
    ON CONFLICT (company_id) DO NOTHING
"""
INSERT_ROLE: Final[LiteralString] = """
    INSERT INTO user_company_role (user_id, company_id, role) VALUES (%(owner_id)s, %(company_id)s, 'OWNER')
    ON CONFLICT DO NOTHING
"""
INSERT_SUBSCRIPTIONS: Final[LiteralString] = """
    INSERT INTO subscription (company_id, user_id, plan, status, credits_per_month, price, credit_balance)
    VALUES (%(company_id)s, NULL, 'PRO', 'ACTIVE', 5000, 49, 5000), (NULL, %(seeker_id)s, 'FREE', 'ACTIVE', 500, 0, 500)
    ON CONFLICT DO NOTHING
"""


def ensure_demo(accounts_url: str) -> None:
    """Add what is missing of the demo data; what is there stays as it was changed.

    Args:
        accounts_url: Connection string of the role `accounts`.
    """
    with connect(accounts_url) as conn, conn.transaction():
        _insert(conn)


def _insert(conn: psycopg.Connection) -> None:
    keys = {
        "company_id": COMPANY_ID,
        "owner_id": DEMO_RECRUITER.user_id,
        "seeker_id": DEMO_JOB_SEEKER.user_id,
    }
    for person in PEOPLE:
        conn.execute(INSERT_USER, person)
    for statement in (INSERT_COMPANY, INSERT_PROFILE, INSERT_ROLE, INSERT_SUBSCRIPTIONS):
        conn.execute(statement, keys)
