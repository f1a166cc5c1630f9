"""What a master user does once: roles, the database and its owner, the vector extension.

The master may be a true superuser (local) or RDS' master user, who is none. Everything here may run again.
"""

from collections.abc import Mapping
from typing import Final, LiteralString

import psycopg
from psycopg import sql
from psycopg.conninfo import make_conninfo

DATABASE: Final = "rolecall"
POSTGRES_MAJOR: Final = 18
"""The one version that the product runs on, locally and in Aurora."""
IAM_ROLE: Final = "rds_iam"
"""Whose members log in with IAM tokens, and only with them. There on RDS."""

ROLE_SETTINGS: Final[dict[str, dict[str, str]]] = {
    "owner": {"lock_timeout": "30s", "idle_in_transaction_session_timeout": "60s"},
    "app": {
        "statement_timeout": "30s",
        "lock_timeout": "10s",
        "idle_in_transaction_session_timeout": "60s",
        "idle_session_timeout": "60s",
    },
    "seed": {"statement_timeout": "60s", "idle_session_timeout": "60s"},
    "janitor": {"statement_timeout": "60s", "idle_session_timeout": "60s"},
    "ingest": {"statement_timeout": "60s", "idle_session_timeout": "60s"},
    "accounts": {"statement_timeout": "30s", "idle_session_timeout": "60s"},
}
"""Every role and its session settings. They live at the role: a session SET would pin a pooled connection."""

_ROLE_EXISTS: Final[LiteralString] = "SELECT 1 FROM pg_roles WHERE rolname = %(role)s"
_UNSAFE_ROLES: Final[LiteralString] = """
    SELECT rolname FROM pg_roles
    WHERE rolname = ANY(%(roles)s) AND (rolsuper OR rolbypassrls OR rolcreaterole OR rolreplication)
"""
_AM_SUPERUSER: Final[LiteralString] = "SELECT rolsuper FROM pg_roles WHERE rolname = current_user"
_DATABASE_OWNER: Final[LiteralString] = """
    SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = %(database)s
"""


def role_name(role: str) -> str:
    """Give a role's name in Postgres: `app` is `rolecall_app`."""
    if role not in ROLE_SETTINGS:
        raise ValueError(f"no database role {role!r}; there are {', '.join(ROLE_SETTINGS)}")
    return f"rolecall_{role}"


def bootstrap(admin_url: str, passwords: Mapping[str, str], *, database: str = DATABASE) -> None:
    """Make roles, database and extension, or bring them up to date.

    Args:
        admin_url: Connection string of the master user, to any database of the server.
        passwords: A password for each role of ROLE_SETTINGS that logs in with one. A role without is made and
            logs in by IAM tokens, if the server knows them. The owner needs one: whoever is a member of a role
            that uses tokens, as the master is of the owner, can log in only by them.
        database: The product's database; made if missing, and taken over if the master owns it.

    Raises:
        RuntimeError: one of the roles could pass row-level security.
    """
    with psycopg.connect(admin_url, autocommit=True) as admin:
        for role, settings in ROLE_SETTINGS.items():
            _ensure_role(admin, role_name(role), passwords.get(role), settings)
        if admin.execute(_ROLE_EXISTS, {"role": IAM_ROLE}).fetchone():
            for role in ROLE_SETTINGS.keys() - passwords.keys() - {"owner"}:
                _let_in_by_token(admin, role_name(role))
        unsafe = admin.execute(_UNSAFE_ROLES, {"roles": [role_name(role) for role in ROLE_SETTINGS]}).fetchall()
        if unsafe:
            raise RuntimeError(f"roles with too much power: {', '.join(name for (name,) in unsafe)}")
        _ensure_database(admin, database)
    with psycopg.connect(make_conninfo(admin_url, dbname=database), autocommit=True) as admin:
        admin.execute("CREATE EXTENSION IF NOT EXISTS vector")
        _let_roles_in(admin, database)


def _ensure_role(admin: psycopg.Connection, name: str, password: str | None, settings: Mapping[str, str]) -> None:
    role = sql.Identifier(name)
    if admin.execute(_ROLE_EXISTS, {"role": name}).fetchone() is None:
        admin.execute(sql.SQL("CREATE ROLE {} LOGIN").format(role))
    if password is not None:
        # Only the hash travels, so no log of statements can hold the password.
        hashed = admin.pgconn.encrypt_password(password.encode(), name.encode(), b"scram-sha-256").decode()
        admin.execute(sql.SQL("ALTER ROLE {} LOGIN PASSWORD {}").format(role, sql.Literal(hashed)))
    for setting, value in {"timezone": "UTC", **settings}.items():
        admin.execute(sql.SQL("ALTER ROLE {} SET {} = {}").format(role, sql.Identifier(setting), sql.Literal(value)))


def _let_in_by_token(admin: psycopg.Connection, name: str) -> None:
    admin.execute(sql.SQL("GRANT {} TO {}").format(sql.Identifier(IAM_ROLE), sql.Identifier(name)))


def _ensure_database(admin: psycopg.Connection, database: str) -> None:
    owner = role_name("owner")
    superuser = admin.execute(_AM_SUPERUSER).fetchone()
    if not (superuser and superuser[0]):
        # Who is no superuser gives an object only to a role that it is a member of.
        admin.execute(sql.SQL("GRANT {} TO CURRENT_USER WITH INHERIT TRUE, SET TRUE").format(sql.Identifier(owner)))
    names = {"database": sql.Identifier(database), "owner": sql.Identifier(owner)}
    found = admin.execute(_DATABASE_OWNER, {"database": database}).fetchone()
    if found is None:
        admin.execute(
            sql.SQL("CREATE DATABASE {database} OWNER {owner} ENCODING 'UTF8' TEMPLATE template0").format(**names)
        )
    elif found[0] != owner:
        admin.execute(sql.SQL("ALTER DATABASE {database} OWNER TO {owner}").format(**names))


def _let_roles_in(admin: psycopg.Connection, database: str) -> None:
    """Only the product's roles connect, and only the owner creates."""
    name = sql.Identifier(database)
    admin.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name))
    admin.execute("REVOKE CREATE ON SCHEMA public FROM PUBLIC")
    for role in ROLE_SETTINGS:
        admin.execute(sql.SQL("GRANT CONNECT ON DATABASE {} TO {}").format(name, sql.Identifier(role_name(role))))
