"""Bootstrap: for a superuser, for a master user that is none, and again over what is there."""

from collections.abc import Iterator
from typing import Any

import psycopg
import pytest
from psycopg import Connection
from psycopg.conninfo import make_conninfo

from local.postgres import EmbeddedPostgres
from rolecall.db.bootstrap import ROLE_SETTINGS, bootstrap, role_name
from rolecall.db.migrate import migrate


@pytest.fixture
def fresh(tmp_path_factory: pytest.TempPathFactory, postgres: EmbeddedPostgres) -> Iterator[str]:
    """The superuser's address, with the product's roles and no second database."""
    yield postgres.superuser_url
    with psycopg.connect(postgres.superuser_url, autocommit=True) as conn:
        conn.execute("DROP DATABASE IF EXISTS second WITH (FORCE)")
        if conn.execute("SELECT 1 FROM pg_roles WHERE rolname = 'master'").fetchone():
            conn.execute("DROP OWNED BY master; DROP ROLE master")
    postgres.start()  # with the passwords that other tests know


@pytest.fixture
def master(fresh: str) -> str:
    """A master user as RDS has it: it makes roles and databases, and is no superuser."""
    with psycopg.connect(fresh, autocommit=True) as conn:
        conn.execute("CREATE ROLE master LOGIN CREATEROLE CREATEDB PASSWORD 'm'")
        for role in ROLE_SETTINGS:
            # Here the roles are there already; where master made them, it has this from making them.
            conn.execute(f"GRANT {role_name(role)} TO master WITH ADMIN TRUE, INHERIT FALSE, SET FALSE")
        conn.execute("CREATE DATABASE second OWNER master")
    with psycopg.connect(make_conninfo(fresh, dbname="second"), autocommit=True) as conn:
        conn.execute("CREATE EXTENSION vector")  # what rds_superuser may do, and our master may not
    return make_conninfo(fresh, user="master", password="m")


def owner_of(url: str, database: str) -> str:
    with psycopg.connect(url) as conn:
        row = conn.execute("SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = %s", [database]).fetchone()
    assert row
    return str(row[0])


def test_it_runs_twice_and_gives_the_database_to_the_owner(fresh: str) -> None:
    bootstrap(fresh, {}, database="second")
    bootstrap(fresh, {}, database="second")
    assert owner_of(fresh, "second") == "rolecall_owner"


def test_a_master_that_is_no_superuser_hands_its_database_over_and_migrations_run(
    master: str, fresh: str, postgres: EmbeddedPostgres
) -> None:
    bootstrap(master, {}, database="second")
    bootstrap(master, {}, database="second")
    assert owner_of(fresh, "second") == "rolecall_owner"
    assert migrate(make_conninfo(postgres.url("owner"), dbname="second"))


def test_a_new_password_takes_the_place_of_the_old_one(fresh: str, postgres: EmbeddedPostgres) -> None:
    url = postgres.url("ingest")
    bootstrap(fresh, {"ingest": "another"})
    try:
        with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
            psycopg.connect(url)
        psycopg.connect(make_conninfo(url, password="another")).close()
    finally:
        postgres.start()
    psycopg.connect(url).close()


def test_a_role_that_could_pass_policies_stops_it(fresh: str) -> None:
    with psycopg.connect(fresh, autocommit=True) as conn:
        conn.execute("ALTER ROLE rolecall_ingest BYPASSRLS")
        try:
            with pytest.raises(RuntimeError, match="rolecall_ingest"):
                bootstrap(fresh, {}, database="second")
        finally:
            conn.execute("ALTER ROLE rolecall_ingest NOBYPASSRLS")


def test_only_the_products_roles_connect(admin: Connection[Any], postgres: EmbeddedPostgres) -> None:
    admin.execute("CREATE ROLE stranger LOGIN PASSWORD 's'")
    try:
        with pytest.raises(psycopg.OperationalError, match="permission denied for database"):
            psycopg.connect(make_conninfo(postgres.url("app"), user="stranger", password="s"))
    finally:
        admin.execute("DROP ROLE stranger")


def test_an_unknown_role_is_named() -> None:
    with pytest.raises(ValueError, match="no database role 'root'"):
        role_name("root")


def test_on_rds_roles_without_a_password_use_tokens_and_the_master_keeps_its_password(master: str, fresh: str) -> None:
    with psycopg.connect(fresh, autocommit=True) as conn:
        conn.execute("CREATE ROLE rds_iam; GRANT rds_iam TO master WITH ADMIN TRUE, INHERIT FALSE, SET FALSE")
        try:
            bootstrap(master, {"owner": "once", "seed": "kept"}, database="second")
            members = conn.execute(
                "SELECT member::regrole::text FROM pg_auth_members"
                " WHERE roleid = 'rds_iam'::regrole AND member <> 'master'::regrole"
            ).fetchall()
            masters = conn.execute("SELECT pg_has_role('master', 'rds_iam', 'USAGE')").fetchone()
        finally:
            conn.execute("DROP ROLE rds_iam")
    assert {name for (name,) in members} == {role_name(role) for role in ROLE_SETTINGS.keys() - {"owner", "seed"}}
    assert masters == (False,)
