"""Two companies and four people with a row of each in every table, and who asks for them."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any
from uuid import UUID

from psycopg import Connection

from rolecall.identity import Caller
from tests.fakes import builders as build

Key = dict[str, Any]


@dataclass
class World:
    """`callers` by name; `rows` by table and by whose they are, each as its primary key."""

    callers: dict[str, Caller | None]
    owners: dict[str, Caller]
    rows: dict[str, dict[str, Key]] = field(default_factory=dict)
    parents: dict[str, dict[str, UUID]] = field(default_factory=dict)

    def add(self, table: str, whose: str, **key: Any) -> None:
        self.rows.setdefault(table, {})[whose] = key


def a_world(conn: Connection[Any]) -> World:
    acme, rival = build.a_company(conn, name="Acme"), build.a_company(conn, name="Rival")
    ann = build.a_user(conn, company=acme, role="OWNER")
    ben = build.a_user(conn, company=acme, role="MEMBER")
    rex = build.a_user(conn, company=rival, role="OWNER")
    sam = build.a_user(conn)
    world = World(
        callers={
            "ann@acme": ann,
            "ben@acme": ben,
            "rex@rival": rex,
            "ann": ann.as_job_seeker(),
            "sam": sam,
            "rex claims acme": Caller(rex.user_id, acme),
            "sam claims acme": Caller(sam.user_id, acme),
            "nobody": None,
            "visitor": Caller(ann.user_id, anonymous=True),
        },
        owners={"acme": ann, "rival": rex, "ann": ann.as_job_seeker(), "sam": sam},
    )
    definition = build.a_tool_definition(conn)
    world.add("agent_tool_definition", "global", id=definition["id"])
    for name, person in {"ann": ann, "ben": ben, "rex": rex, "sam": sam}.items():
        world.add("app_user", name, id=person.user_id)
        if person.company_id:
            world.add("user_company_role", name, user_id=person.user_id, company_id=person.company_id)
    for whose in ("acme", "rival"):
        company = world.owners[whose].company_id
        world.add("company", whose, id=company)
        world.add("company_profile", whose, company_id=company)
        build.insert(
            conn,
            "agent_tool_overlay",
            company_id=company,
            tool_definition_id=definition["id"],
            updated_by_id=world.owners[whose].user_id,
        )
        world.add("agent_tool_overlay", whose, company_id=company, tool_definition_id=definition["id"])
    for whose, owner in world.owners.items():
        _belongings(conn, world, whose, owner)
    return world


def _belongings(conn: Connection[Any], world: World, whose: str, owner: Caller) -> None:
    shared = {"company_id": owner.company_id, "created_by_id": owner.user_id}
    private = {"company_id": owner.company_id, "user_id": owner.user_id}
    agent = build.an_agent(conn, owner)
    conversation = build.a_conversation(conn, owner, agent=agent)
    message = build.a_message(conn, conversation)
    document = build.a_document(conn, owner, agent_id=agent)
    used_by = {**private, "user_id": None if owner.company_id else owner.user_id}
    made = {
        "subscription": build.a_subscription(conn, owner),
        "model_credential": build.a_credential(conn, owner),
        "agent": {"id": agent},
        "agent_task_config": build.insert(conn, "agent_task_config", agent_id=agent, task_code="t", **shared),
        "agent_database_config": build.insert(conn, "agent_database_config", agent_id=agent, **shared),
        "agent_conversation": {"id": conversation},
        "agent_message": message,
        "agent_message_attachment": build.insert(
            conn,
            "agent_message_attachment",
            message_id=message["id"],
            conversation_id=conversation,
            key="k",
            filename="f",
            mime_type="text/plain",
            **private,
        ),
        "agent_document": document,
        "agent_document_chunk": build.insert(
            conn,
            "agent_document_chunk",
            document_id=document["id"],
            chunk_index=0,
            content="text",
            content_hash="0" * 64,
            **shared,
        ),
        "agent_tool_execution": build.a_tool_execution(conn, message),
        "agent_activity": build.insert(conn, "agent_activity", activity_type="AGENT_CREATED", **private),
        "agent_background_task": build.insert(
            conn, "agent_background_task", task_type="TITLE_GENERATION", agent_id=agent, **private
        ),
        "agent_token_usage": build.insert(
            conn, "agent_token_usage", agent_id=agent, period=datetime.now(UTC).date(), **used_by
        ),
    }
    for table, row in made.items():
        world.add(table, whose, id=row["id"])
    world.parents[whose] = {
        "agent_id": agent,
        "conversation_id": conversation,
        "message_id": message["id"],
        "document_id": document["id"],
    }
