"""SQL of people and companies. Row-level security keeps each caller to what is theirs."""

from collections.abc import Mapping
from typing import Any, Final, LiteralString

from psycopg import Connection, sql
from psycopg.rows import class_row, kwargs_row

from rolecall.db.later import Later, ask_one
from rolecall.errors import InvalidRequest
from rolecall.identity import Caller
from rolecall.ids import UserId
from rolecall.platform.models import CompanyProfile, Membership, UserSnapshot, ViewMode

SELECT_SNAPSHOT: Final[LiteralString] = """
    SELECT u.id AS user_id, coalesce(nullif(concat_ws(' ', u.first_name, u.last_name), ''), u.email) AS name,
           u.email, u.title, u.location, m.company_id, p.name AS company_name, m.role AS role_in_company,
           s.plan, s.billing_mode, s.status AS subscription_status, s.credit_balance, u.active_cv_id,
           u.is_super_admin, u.locale, u.timezone
    FROM app_user AS u
    LEFT JOIN user_company_role AS m ON m.user_id = u.id AND m.company_id = %(company_id)s
    LEFT JOIN company_profile AS p ON p.company_id = m.company_id
    LEFT JOIN subscription AS s
        ON s.company_id = m.company_id OR (%(company_id)s::uuid IS NULL AND s.user_id = u.id)
    WHERE u.id = %(user_id)s
"""
SELECT_MEMBERSHIPS: Final[LiteralString] = """
    SELECT m.company_id, p.name, m.role
    FROM user_company_role AS m JOIN company_profile AS p USING (company_id)
    WHERE m.user_id = %(user_id)s
    ORDER BY lower(p.name), m.company_id
"""
SELECT_PROFILE: Final[LiteralString] = """
    SELECT name, website, description, industry, size, location FROM company_profile WHERE company_id = %(company_id)s
"""
UPDATE_USER: Final = sql.SQL("UPDATE app_user SET {assignments} WHERE id = {user_id} RETURNING id")

CHANGEABLE: Final = frozenset(
    {"first_name", "last_name", "email", "phone", "title", "location", "biography", "linkedin_url", "portfolio_url"}
)
"""Columns that a person may change of their own row. The database grants no others but locale and timezone."""


def user_snapshot(conn: Connection[Any], caller: Caller) -> UserSnapshot | None:
    """Read the caller in one query; None where there is no such person, or they may not act for that company."""
    return ask_user_snapshot(conn, caller).get()


def ask_user_snapshot(conn: Connection[Any], caller: Caller) -> Later[UserSnapshot | None]:
    """Ask for the caller's snapshot."""
    values = {"user_id": caller.user_id, "company_id": caller.company_id}
    return ask_one(conn, kwargs_row(_snapshot), SELECT_SNAPSHOT, values)


def _snapshot(**columns: Any) -> UserSnapshot:
    mode = ViewMode.EMPLOYER if columns["company_id"] else ViewMode.JOB_SEEKER
    return UserSnapshot(view_mode=mode, **columns)


def companies_of(conn: Connection[Any], caller: Caller) -> list[Membership]:
    """List every company that the caller has a role in, by name."""
    with conn.cursor(row_factory=class_row(Membership)) as cursor:
        return cursor.execute(SELECT_MEMBERSHIPS, {"user_id": caller.user_id}).fetchall()


def company_profile(conn: Connection[Any], caller: Caller) -> CompanyProfile | None:
    """Read the public profile of the company that the caller acts for."""
    with conn.cursor(row_factory=class_row(CompanyProfile)) as cursor:
        return cursor.execute(SELECT_PROFILE, {"company_id": caller.company_id}).fetchone()


def update_user(conn: Connection[Any], user_id: UserId, changes: Mapping[str, str]) -> list[str]:
    """Change a person's own row.

    Args:
        conn: The caller's transaction; policies let nobody but the person through.
        user_id: Whose row.
        changes: New values by column, out of CHANGEABLE. A new email is unverified.

    Returns:
        The columns that were set, in the given order; empty where the caller may not change that row.

    Raises:
        InvalidRequest: nothing to change, or a column that is not changeable.
        psycopg.errors.UniqueViolation: the email is somebody else's.
    """
    foreign = sorted(set(changes) - CHANGEABLE)
    if foreign or not changes:
        raise InvalidRequest(
            f"These fields cannot be changed: {', '.join(foreign)}" if foreign else "Nothing to change"
        )
    assignments = sql.SQL(", ").join(
        sql.SQL("{} = {}").format(sql.Identifier(column), sql.Placeholder(column)) for column in changes
    )
    statement = UPDATE_USER.format(assignments=assignments, user_id=sql.Placeholder("user_id"))
    row = conn.execute(statement, {**changes, "user_id": user_id}).fetchone()
    return list(changes) if row else []
