"""People and companies as their own callers read and change them."""

from decimal import Decimal
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import Connection, errors

from rolecall.db import Database
from rolecall.errors import InvalidRequest
from rolecall.identity import Caller
from rolecall.platform.models import Membership, ViewMode
from rolecall.platform.store import CHANGEABLE, companies_of, update_user, user_snapshot
from tests.fakes import builders as build


def test_a_recruiters_snapshot_is_of_the_company_they_act_for(db: Database, admin: Connection[Any]) -> None:
    acme, other = build.a_company(admin, name="Acme"), build.a_company(admin, name="Other")
    ann = build.a_user(admin, company=acme, role="ADMIN", first_name="Ann", last_name="Lee", title="Lead")
    build.a_role(admin, ann.user_id, other)
    build.a_subscription(admin, ann, plan="ENTERPRISE", billing_mode="POSTPAID", credit_balance="12.5")
    build.a_subscription(admin, ann.as_job_seeker(), plan="FREE")
    with db.transaction(ann) as conn:
        me = user_snapshot(conn, ann)
    assert me is not None
    assert (me.user_id, me.name, me.title) == (ann.user_id, "Ann Lee", "Lead")
    assert (me.view_mode, me.company_id, me.company_name, me.role_in_company) == (
        ViewMode.EMPLOYER,
        acme,
        "Acme",
        "ADMIN",
    )
    assert (me.plan, me.billing_mode, me.subscription_status) == ("ENTERPRISE", "POSTPAID", "ACTIVE")
    assert me.credit_balance == Decimal("12.5")


def test_acting_alone_the_same_person_is_a_job_seeker_with_their_own_plan(db: Database, admin: Connection[Any]) -> None:
    ann = build.a_user(admin, company=build.a_company(admin))
    build.a_subscription(admin, ann, plan="ENTERPRISE")
    build.a_subscription(admin, ann.as_job_seeker(), plan="FREE")
    with db.transaction(ann.as_job_seeker()) as conn:
        me = user_snapshot(conn, ann.as_job_seeker())
    assert me is not None
    assert (me.view_mode, me.company_id, me.company_name, me.plan) == (ViewMode.JOB_SEEKER, None, None, "FREE")


def test_a_person_without_a_name_or_plan_still_has_a_snapshot(db: Database, admin: Connection[Any]) -> None:
    sam = build.a_user(admin, first_name=None, last_name=None, email="sam@example.com")
    with db.transaction(sam) as conn:
        me = user_snapshot(conn, sam)
    assert me is not None
    assert (me.name, me.plan, me.credit_balance) == ("sam@example.com", None, None)


def test_a_forged_company_gives_no_snapshot(db: Database, admin: Connection[Any]) -> None:
    forged = Caller(build.a_user(admin).user_id, build.a_company(admin))
    with db.transaction(forged) as conn:
        assert user_snapshot(conn, forged) is None


@pytest.mark.parametrize("alone", [False, True])
def test_a_person_lists_all_their_companies_whichever_they_act_for(
    alone: bool, db: Database, admin: Connection[Any]
) -> None:
    zeta, acme = build.a_company(admin, name="zeta"), build.a_company(admin, name="Acme")
    build.a_company(admin, name="Not theirs")
    ann = build.a_user(admin, company=zeta, role="OWNER")
    build.a_role(admin, ann.user_id, acme, "RECRUITER")
    build.a_user(admin, company=zeta, role="MEMBER")
    caller = ann.as_job_seeker() if alone else ann
    with db.transaction(caller) as conn:
        assert companies_of(conn, caller) == [Membership(acme, "Acme", "RECRUITER"), Membership(zeta, "zeta", "OWNER")]


def test_an_update_names_the_fields_it_set_and_touches_no_other(db: Database, admin: Connection[Any]) -> None:
    sam = build.a_user(admin, title="Old", location="Oslo")
    with db.transaction(sam) as conn:
        assert update_user(conn, sam.user_id, {"title": "Lead Recruiter", "phone": "+46 1"}) == ["title", "phone"]
    row = admin.execute("SELECT title, phone, location, updated_at > created_at FROM app_user").fetchone()
    assert row == ("Lead Recruiter", "+46 1", "Oslo", True)


def test_a_new_email_is_unverified_and_the_old_one_in_capitals_is_not_new(db: Database, admin: Connection[Any]) -> None:
    sam = build.a_user(admin, email="sam@example.com", email_verified_at="2026-01-01")
    verified = "SELECT email_verified_at IS NOT NULL FROM app_user"
    with db.transaction(sam) as conn:
        update_user(conn, sam.user_id, {"email": "SAM@example.com"})
        assert conn.execute(verified).fetchone() == (True,)
        update_user(conn, sam.user_id, {"email": "samuel@example.com"})
        assert conn.execute(verified).fetchone() == (False,)


def test_an_email_that_is_taken_in_other_letters_is_refused(db: Database, admin: Connection[Any]) -> None:
    sam = build.a_user(admin)
    build.a_user(admin, email="taken@example.com")
    with pytest.raises(errors.UniqueViolation), db.transaction(sam) as conn:
        update_user(conn, sam.user_id, {"email": "Taken@Example.com"})


def test_nobody_updates_somebody_else(db: Database, admin: Connection[Any]) -> None:
    acme = build.a_company(admin)
    ann, ben = build.a_user(admin, company=acme), build.a_user(admin, company=acme, role="MEMBER")
    with db.transaction(ann) as conn:
        assert update_user(conn, ben.user_id, {"title": "Fired"}) == []


@pytest.mark.parametrize("changes", [{}, {"is_super_admin": "true"}, {"title": "x", "id": "y"}, {'title" = 1 --': "x"}])
def test_a_column_off_the_list_is_refused_before_any_statement(
    changes: dict[str, str], db: Database, admin: Connection[Any]
) -> None:
    sam = build.a_user(admin)
    with pytest.raises(InvalidRequest), db.transaction(sam) as conn:
        update_user(conn, sam.user_id, changes)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.dictionaries(
        st.sampled_from(sorted(CHANGEABLE - {"email"})),
        st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), max_size=50),
        min_size=1,
    )
)
def test_any_text_comes_back_as_it_was(db: Database, admin: Connection[Any], changes: dict[str, str]) -> None:
    sam = build.a_user(admin)
    with db.transaction(sam) as conn:
        assert update_user(conn, sam.user_id, changes) == list(changes)
        stored = conn.execute("SELECT to_jsonb(u) FROM app_user AS u").fetchone()
    assert stored is not None
    assert {name: stored[0][name] for name in changes} == changes
