"""Rows with defaults, written by a superuser's connection past every policy. Name only what the test is about."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID, uuid4

from psycopg import Connection, sql
from psycopg.rows import dict_row
from psycopg.types.json import Jsonb

from rolecall.identity import Caller
from rolecall.ids import CompanyId, UserId


def insert(conn: Connection[Any], table: str, **columns: Any) -> dict[str, Any]:
    """Insert one row and return all of it. A dict or list of dicts goes in as jsonb."""
    values = {name: _adapt(value) for name, value in columns.items()}
    statement = sql.SQL("INSERT INTO {} ({}) VALUES ({}) RETURNING *").format(
        sql.Identifier(table),
        sql.SQL(", ").join(map(sql.Identifier, values)),
        sql.SQL(", ").join(map(sql.Placeholder, values)),
    )
    with conn.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(statement, values).fetchone()
    assert row is not None
    return row


def a_company(conn: Connection[Any], *, name: str = "Acme", **profile: Any) -> CompanyId:
    company = insert(conn, "company", id=uuid4())["id"]
    insert(conn, "company_profile", company_id=company, name=name, **profile)
    return CompanyId(company)


def a_user(conn: Connection[Any], *, company: CompanyId | None = None, role: str = "OWNER", **columns: Any) -> Caller:
    """A person, acting for `company` if one is given (with a role there), else for themselves."""
    user = columns.pop("id", uuid4())
    defaults = {"email": f"{user}@example.com", "first_name": "Ada", "last_name": "Example"}
    insert(conn, "app_user", **({"id": user} | defaults | columns))
    if company is not None:
        a_role(conn, UserId(user), company, role)
    return Caller(UserId(user), company)


def a_role(conn: Connection[Any], user: UserId, company: CompanyId, role: str = "RECRUITER") -> None:
    insert(conn, "user_company_role", user_id=user, company_id=company, role=role)


def a_subscription(conn: Connection[Any], owner: Caller, **columns: Any) -> dict[str, Any]:
    """Of the owner's company, or of the owner who acts alone."""
    keys = {"company_id": owner.company_id, "user_id": None if owner.company_id else owner.user_id}
    return insert(conn, "subscription", **(keys | {"plan": "PRO", "credit_balance": 100} | columns))


def a_credential(conn: Connection[Any], owner: Caller, **columns: Any) -> dict[str, Any]:
    """A key of theirs that nothing opens."""
    keys = {"company_id": owner.company_id, "user_id": None if owner.company_id else owner.user_id}
    key = {"provider": "openai", "ciphertext": b"c" * 32, "nonce": b"n" * 12, "key_version": "v1"}
    return insert(conn, "model_credential", **(keys | key | {"updated_by": owner.user_id} | columns))


def an_agent(conn: Connection[Any], owner: Caller, **columns: Any) -> UUID:
    keys = {"company_id": owner.company_id, "created_by_id": owner.user_id}
    agent: UUID = insert(conn, "agent", **(keys | {"name": f"Agent {uuid4()}"} | columns))["id"]
    return agent


def a_conversation(conn: Connection[Any], owner: Caller, *, agent: UUID | None = None, **columns: Any) -> UUID:
    keys = {"company_id": owner.company_id, "user_id": owner.user_id, "agent_id": agent or an_agent(conn, owner)}
    conversation: UUID = insert(conn, "agent_conversation", **(keys | columns))["id"]
    return conversation


def a_message(conn: Connection[Any], conversation: UUID, **columns: Any) -> dict[str, Any]:
    """A USER row of that conversation unless told otherwise."""
    keys = _tenant_of(conn, conversation)
    return insert(conn, "agent_message", **(keys | {"role": "USER", "content": "Hello"} | columns))


def a_tool_execution(conn: Connection[Any], turn: Mapping[str, Any], **columns: Any) -> dict[str, Any]:
    """One call of a turn, given as its ASSISTANT row."""
    keys = {name: turn[name] for name in ("conversation_id", "company_id", "user_id", "agent_id")}
    defaults = {"turn_id": turn["id"], "tool_call_id": f"call-{uuid4()}", "hop": 1, "position": 0}
    return insert(conn, "agent_tool_execution", **(keys | defaults | {"function_name": "get_me"} | columns))


def a_tool_definition(conn: Connection[Any], *, code: str = "get_me", **columns: Any) -> dict[str, Any]:
    defaults = {
        "tool_code": code,
        "tool_type": code.upper(),
        "function_name": code,
        "name": code,
        "description": f"Does {code}.",
        "category": "self",
    }
    return insert(conn, "agent_tool_definition", **(defaults | columns))


def a_document(conn: Connection[Any], owner: Caller, **columns: Any) -> dict[str, Any]:
    keys = {"company_id": owner.company_id, "created_by_id": owner.user_id}
    file = {"filename": "handbook.pdf", "mime_type": "application/pdf", "size_bytes": 1, "storage_key": str(uuid4())}
    return insert(conn, "agent_document", **(keys | file | columns))


def _tenant_of(conn: Connection[Any], conversation: UUID) -> dict[str, Any]:
    with conn.cursor(row_factory=dict_row) as cursor:
        row = cursor.execute(
            "SELECT id AS conversation_id, company_id, user_id, agent_id FROM agent_conversation WHERE id = %s",
            [conversation],
        ).fetchone()
    assert row is not None
    return row


def _adapt(value: Any) -> Any:
    is_json = isinstance(value, dict) or (isinstance(value, list) and value and isinstance(value[0], dict))
    return Jsonb(value) if is_json else value
