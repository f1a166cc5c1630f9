"""Who reaches which row: what crossings.py lists, and nothing else."""

from collections.abc import Iterator
from functools import cache
from typing import Any
from uuid import UUID

import psycopg
import pytest
from psycopg import Connection, errors, sql
from psycopg.types.json import Jsonb

from local.postgres import EmbeddedPostgres
from rolecall.db import Database
from rolecall.identity import Caller
from tests.fakes import builders as build
from tests.unit.db.crossings import CALLERS, CROSSINGS, WITHOUT_TENANTS, WRITERS
from tests.unit.db.world import Key, World, a_world


@pytest.fixture
def world(admin: Connection[Any]) -> World:
    return a_world(admin)


@pytest.fixture
def app(postgres: EmbeddedPostgres) -> Iterator[Connection[Any]]:
    with psycopg.connect(postgres.url("app"), autocommit=True) as conn:
        yield conn


def test_every_table_has_its_crossings_listed_and_its_policies_forced(admin: Connection[Any]) -> None:
    assert set(CALLERS) == set(a_world(admin).callers)
    tables = admin.execute(
        "SELECT relname, relrowsecurity AND relforcerowsecurity FROM pg_class"
        " WHERE relkind IN ('r', 'p', 'v', 'm', 'f') AND relnamespace::regnamespace::text IN ('public', 'app')"
    ).fetchall()
    assert {name for name, _ in tables} == set(CROSSINGS) | WITHOUT_TENANTS
    assert {name for name, forced in tables if not forced} == WITHOUT_TENANTS


@pytest.mark.parametrize("table", CROSSINGS)
def test_a_caller_reaches_the_listed_rows_and_no_others(
    table: str, world: World, app: Connection[Any], admin: Connection[Any]
) -> None:
    found, listed = {}, {}
    for verb, attempt in {"reads": _read, "makes": _make, "changes": _change, "deletes": _delete}.items():
        for name, caller in world.callers.items():
            with app.transaction(force_rollback=True):
                _act_as(app, caller)
                found[verb, name] = {
                    whose for whose, key in world.rows[table].items() if attempt(app, admin, table, key)
                }
            listed[verb, name] = getattr(CROSSINGS[table], verb).get(name, set())
    assert found == listed


def _act_as(conn: Connection[Any], caller: Caller | None) -> None:
    if caller:
        settings = {"app.user_id": caller.user_id, "app.company_id": caller.company_id or ""}
        if caller.anonymous:
            settings = {"app.visitor": "on"}
        for name, value in settings.items():
            conn.execute("SELECT set_config(%s, %s, true)", [name, str(value)])


def _where(key: Key) -> sql.Composed:
    return sql.SQL(" AND ").join(
        sql.SQL("{} = {}").format(sql.Identifier(name), sql.Literal(key[name])) for name in key
    )


def _touches(conn: Connection[Any], statement: sql.Composed, values: Any = None) -> bool:
    """Whether a statement gets past grants and policies and hits a row. It is undone."""
    try:
        with conn.transaction(force_rollback=True):
            return conn.execute(statement, values).rowcount == 1
    except errors.InsufficientPrivilege:
        return False
    except (errors.UniqueViolation, errors.ForeignKeyViolation):
        return True  # policies are asked first


def _read(conn: Connection[Any], _: Connection[Any], table: str, key: Key) -> bool:
    return _touches(conn, sql.SQL("SELECT 1 FROM {} WHERE {}").format(sql.Identifier(table), _where(key)))


def _delete(conn: Connection[Any], _: Connection[Any], table: str, key: Key) -> bool:
    return _touches(conn, sql.SQL("DELETE FROM {} WHERE {}").format(sql.Identifier(table), _where(key)))


def _change(conn: Connection[Any], admin: Connection[Any], table: str, key: Key) -> bool:
    column = sql.Identifier((_granted(admin, table, "UPDATE") or [next(iter(key))])[0])
    return _touches(
        conn, sql.SQL("UPDATE {0} SET {1} = {1} WHERE {2}").format(sql.Identifier(table), column, _where(key))
    )


def _make(conn: Connection[Any], admin: Connection[Any], table: str, key: Key) -> bool:
    """Insert a copy of somebody's row. That its id is taken is found out only after the policies agreed."""
    name = sql.Identifier(table)
    columns = _granted(admin, table, "INSERT")
    if not columns:
        return _touches(conn, sql.SQL("INSERT INTO {} DEFAULT VALUES").format(name))
    row = admin.execute(sql.SQL("SELECT to_jsonb(t) FROM {} AS t WHERE {}").format(name, _where(key))).fetchone()
    assert row
    copy = sql.SQL("INSERT INTO {0} ({1}) SELECT {1} FROM jsonb_populate_record(NULL::{0}, {2})")
    return _touches(
        conn, copy.format(name, sql.SQL(", ").join(map(sql.Identifier, columns)), sql.Literal(Jsonb(row[0])))
    )


@cache
def _granted(admin: Connection[Any], table: str, verb: str) -> list[str]:
    rows = admin.execute(
        "SELECT attname FROM pg_attribute WHERE attrelid = %(table)s::regclass AND attnum > 0 AND NOT attisdropped"
        " AND attidentity = '' AND attgenerated = ''"
        " AND has_column_privilege('rolecall_app', attrelid, attnum, %(verb)s) ORDER BY attnum",
        {"table": table, "verb": verb},
    ).fetchall()
    return [name for (name,) in rows]


# What a grant of rows does not say ------------------------------------------------------------------------


def test_nothing_that_decides_whose_a_row_is_or_what_it_may_do_can_be_changed(admin: Connection[Any]) -> None:
    guarded = {
        *("id", "company_id", "user_id", "created_by_id", "agent_id", "conversation_id", "message_id", "turn_id"),
        *("document_id", "parent_message_id", "tool_call_id", "role", "kind", "is_system", "is_super_admin"),
        *("plan", "credit_balance", "billing_mode", "billing_owner_id", "email_verified_at", "status_before"),
    }
    changeable = {
        (table, column) for table in CROSSINGS for column in _granted(admin, table, "UPDATE") if column in guarded
    }
    assert changeable == set()
    assert "kind" not in _granted(admin, "agent", "INSERT")


@pytest.mark.parametrize(
    ("table", "child", "keys"),
    [
        ("agent_conversation", {}, ["agent_id"]),
        ("agent_message", {"role": "USER"}, ["agent_id", "conversation_id"]),
        (
            "agent_message_attachment",
            {"key": "k", "filename": "f", "mime_type": "text/plain"},
            ["conversation_id", "message_id"],
        ),
        (
            "agent_tool_execution",
            {"turn_id": UUID(int=1), "tool_call_id": "c", "hop": 1, "position": 0, "function_name": "f"},
            ["agent_id", "conversation_id"],
        ),
        ("agent_background_task", {"task_type": "TITLE_GENERATION"}, ["agent_id"]),
        ("agent_background_task", {"task_type": "TITLE_GENERATION"}, ["document_id"]),
        ("agent_task_config", {"task_code": "x"}, ["agent_id"]),
        ("agent_database_config", {}, ["agent_id"]),
        (
            "agent_document",
            {"filename": "f", "mime_type": "text/plain", "size_bytes": 1, "storage_key": "s"},
            ["agent_id"],
        ),
        ("agent_token_usage", {"period": "2020-01-01"}, ["agent_id"]),
    ],
)
def test_an_own_row_cannot_hang_on_somebody_elses(
    table: str, child: dict[str, Any], keys: list[str], world: World, app: Connection[Any], admin: Connection[Any]
) -> None:
    sam = world.callers["sam"]
    assert sam
    owner = "created_by_id" if "created_by_id" in _granted(admin, table, "INSERT") else "user_id"
    outcomes = {}
    admin.execute("DELETE FROM agent_database_config")
    for whose in ("sam", "ann", "acme"):
        row = child | {owner: sam.user_id} | {name: world.parents[whose][name] for name in keys}
        with app.transaction(force_rollback=True):
            _act_as(app, sam)
            outcomes[whose] = _touches(
                app,
                sql.SQL("INSERT INTO {} ({}) VALUES ({})").format(
                    sql.Identifier(table),
                    sql.SQL(", ").join(map(sql.Identifier, row)),
                    sql.SQL(", ").join(map(sql.Placeholder, row)),
                ),
                row,
            )
    assert outcomes == {"sam": True, "ann": False, "acme": False}


def test_a_message_cannot_answer_one_of_another_conversation(world: World, admin: Connection[Any]) -> None:
    with pytest.raises(errors.ForeignKeyViolation):
        build.a_message(
            admin, world.parents["sam"]["conversation_id"], parent_message_id=world.parents["ann"]["message_id"]
        )


def test_who_leaves_a_company_loses_it_although_the_token_still_names_it(
    world: World, db: Database, admin: Connection[Any]
) -> None:
    ann = world.callers["ann@acme"]
    assert ann
    count = "SELECT (SELECT count(*) FROM agent), (SELECT count(*) FROM app_user)"
    with db.transaction(ann) as conn:
        assert conn.execute(count).fetchone() == (1, 2)
    admin.execute("DELETE FROM user_company_role WHERE user_id = %s", [ann.user_id])
    with db.transaction(ann) as conn:
        assert conn.execute(count).fetchone() == (0, 0)
    with db.transaction(ann.as_job_seeker()) as conn:
        assert conn.execute(count).fetchone() == (1, 1)


def test_with_roles_in_two_companies_one_sees_the_acting_one_and_the_names_of_both(
    world: World, db: Database, admin: Connection[Any]
) -> None:
    ann, rival = world.callers["ann@acme"], world.owners["rival"].company_id
    assert ann
    assert rival
    build.a_role(admin, ann.user_id, rival)
    with db.transaction(ann) as conn:
        names = conn.execute("SELECT name FROM company_profile ORDER BY name").fetchall()
        companies = conn.execute("SELECT DISTINCT company_id FROM agent").fetchall()
    assert names == [("Acme",), ("Rival",)]
    assert companies == [(ann.company_id,)]


def test_a_member_deletes_their_own_agent_and_no_other_of_the_company(
    world: World, db: Database, admin: Connection[Any]
) -> None:
    ben = world.callers["ben@acme"]
    assert ben
    own = build.an_agent(admin, ben)
    build.an_agent(admin, ben, name="System", is_system=True)
    with db.transaction(ben) as conn:
        gone = conn.execute("DELETE FROM agent RETURNING id").fetchall()
    assert gone == [(own,)]


def test_an_agent_in_maintenance_is_an_operators(world: World, db: Database, admin: Connection[Any]) -> None:
    ann = world.callers["ann@acme"]
    assert ann
    agent = world.parents["acme"]["agent_id"]
    with pytest.raises(errors.InsufficientPrivilege), db.transaction(ann) as conn:
        conn.execute("UPDATE agent SET status = 'MAINTENANCE'")
    admin.execute("UPDATE agent SET status = 'MAINTENANCE', status_before = 'ACTIVE' WHERE id = %s", [agent])
    with db.transaction(ann) as conn:
        assert conn.execute("UPDATE agent SET status = 'ACTIVE'").rowcount == 0


# Roles ----------------------------------------------------------------------------------------------------


def test_no_role_of_the_product_can_pass_policies(admin: Connection[Any]) -> None:
    roles = admin.execute(
        "SELECT rolname, rolsuper OR rolbypassrls OR rolcreaterole,"
        " ARRAY(SELECT roleid::regrole::text FROM pg_auth_members WHERE member = r.oid)"
        " FROM pg_roles AS r WHERE rolname LIKE 'rolecall%'"
    ).fetchall()
    assert sorted(roles) == [
        (f"rolecall_{role}", False, []) for role in sorted(["owner", "app", "seed", "janitor", "ingest", "accounts"])
    ]


def test_the_owner_is_subject_to_the_policies(world: World, postgres: EmbeddedPostgres) -> None:
    with psycopg.connect(postgres.url("owner"), autocommit=True) as owner:
        for table in CROSSINGS:
            # Memberships are what the caller's company is checked by.
            readable = table == "user_company_role"
            count = owner.execute(sql.SQL("SELECT count(*) > 0 FROM {}").format(sql.Identifier(table))).fetchone()
            assert (table, count) == (table, (readable,))


@pytest.mark.parametrize("role", WRITERS)
def test_a_role_of_the_system_has_its_own_tables_alone(role: str, admin: Connection[Any]) -> None:
    found = {}
    for table in [*CROSSINGS, *WITHOUT_TENANTS]:
        verbs = []
        for verb in ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE"):
            whole, some = "has_table_privilege(%s, %s, %s)", "has_any_column_privilege(%s, %s, %s)"
            if admin.execute(f"SELECT {whole}", [role, table, verb]).fetchone() == (True,):
                verbs.append(verb)
            elif verb in {"SELECT", "INSERT", "UPDATE"} and admin.execute(
                f"SELECT {some}", [role, table, verb]
            ).fetchone() == (True,):
                verbs.append(verb.lower())
        if verbs:
            found[table] = " ".join(verbs)
    assert found == WRITERS[role]


def test_the_janitor_ends_a_streaming_row_and_reads_no_text(
    world: World, admin: Connection[Any], postgres: EmbeddedPostgres
) -> None:
    turn = build.a_message(
        admin, world.parents["acme"]["conversation_id"], role="ASSISTANT", status="STREAMING", content="secret"
    )
    end = "UPDATE agent_message SET status = %s, error_code = 'STREAM_TIMEOUT' WHERE status = 'STREAMING' RETURNING id"
    with psycopg.connect(postgres.url("janitor"), autocommit=True) as janitor:
        with pytest.raises(errors.InsufficientPrivilege):
            janitor.execute("SELECT content FROM agent_message")
        with pytest.raises(errors.InsufficientPrivilege):
            janitor.execute(end, ["COMPLETED"])
        assert janitor.execute(end, ["FAILED"]).fetchall() == [(turn["id"],)]


def test_functions_that_run_as_their_owner_are_few_and_fix_their_search_path(admin: Connection[Any]) -> None:
    rows = admin.execute(
        "SELECT oid::regprocedure::text, proowner::regrole::text, proconfig FROM pg_proc"
        " WHERE prosecdef AND pronamespace::regnamespace::text NOT IN ('pg_catalog', 'information_schema')"
    ).fetchall()
    fixed = ["search_path=pg_catalog, pg_temp"]
    assert sorted(rows) == [
        ("app.company_role()", "rolecall_owner", fixed),
        ("app.count_visit(uuid,integer,integer,integer)", "rolecall_owner", fixed),
        ("app.own_companies()", "rolecall_owner", fixed),
    ]


def test_the_caller_is_looked_up_once_a_statement(world: World, db: Database) -> None:
    ann = world.callers["ann@acme"]
    assert ann
    with db.transaction(ann) as conn:
        plan = "\n".join(line for (line,) in conn.execute("EXPLAIN SELECT id FROM agent").fetchall())
    assert plan.count("InitPlan") >= 2


def test_a_caller_that_is_no_uuid_is_an_error(app: Connection[Any]) -> None:
    with app.transaction(force_rollback=True):
        app.execute("SELECT set_config('app.user_id', 'x'' OR true', true)")
        with pytest.raises(errors.InvalidTextRepresentation):
            app.execute("SELECT * FROM agent")
