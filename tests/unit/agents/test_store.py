"""Agents as their scope's callers find and make them."""

from typing import Any

import pytest
from psycopg import Connection

from rolecall.agents import store
from rolecall.agents.models import AgentKind, AgentStatus, AgentType, RuntimeProfile, ToolType
from rolecall.db import Database
from rolecall.identity import Caller
from rolecall.ids import AgentId, ConversationId
from tests.fakes import builders as build


@pytest.fixture
def ann(admin: Connection[Any]) -> Caller:
    return build.a_user(admin, company=build.a_company(admin))


def test_an_agent_starts_with_the_defaults_of_the_specification(db: Database, ann: Caller) -> None:
    with db.transaction(ann) as conn:
        made, new = store.create(conn, ann, name="Scout", type=AgentType.TALENT_SEARCH)
        agent = store.get(conn, AgentId(made.id))
    assert new
    assert agent == made
    assert (agent.type, agent.kind, agent.status) == (AgentType.TALENT_SEARCH, AgentKind.STANDARD, AgentStatus.ACTIVE)
    assert (agent.company_id, agent.created_by_id, agent.is_system) == (ann.company_id, ann.user_id, False)
    assert (agent.llm_provider, agent.llm_model, agent.temperature, agent.max_tokens) == ("bedrock", None, 0.7, 4096)
    assert (agent.rag_enabled, agent.rag_top_k, agent.rag_min_score) == (False, 5, 0.15)
    assert (agent.embedding_model, agent.embedding_dimension) == ("amazon.titan-embed-text-v2:0", 1024)
    assert (agent.max_context_messages, agent.max_messages_per_minute, agent.max_tokens_per_day) == (20, 20, 100_000)
    assert (agent.enabled_tools, agent.system_prompt, agent.config) == ([], None, {})
    assert (agent.runtime_profile, agent.prompt_log_enabled) == (RuntimeProfile.NONE, False)


def test_an_agent_made_twice_is_the_first_one_unchanged_and_noted_once(
    db: Database, ann: Caller, admin: Connection[Any]
) -> None:
    with db.transaction(ann) as conn:
        first, _ = store.create(conn, ann, name="Scout", type=AgentType.TALENT_SEARCH)
        second, new = store.create(conn, ann, name="Scout", type=AgentType.CUSTOM, system_prompt="Be bold.")
    assert (second, new) == (first, False)
    noted = admin.execute("SELECT activity_type, agent_id, user_id, company_id FROM agent_activity").fetchall()
    assert noted == [("AGENT_CREATED", first.id, ann.user_id, ann.company_id)]


def test_a_name_is_taken_only_within_its_maker_and_scope(db: Database, ann: Caller, admin: Connection[Any]) -> None:
    ben = build.a_user(admin, company=ann.company_id, role="MEMBER")
    for caller in (ann, ben, ann.as_job_seeker(), ben.as_job_seeker()):
        with db.transaction(caller) as conn:
            assert store.create(conn, caller, name="Scout", type=AgentType.CUSTOM)[1]


def test_a_scope_lists_its_own_agents_system_ones_first(db: Database, ann: Caller, admin: Connection[Any]) -> None:
    alone = ann.as_job_seeker()
    for owner, name in ((ann, "b"), (ann, "A"), (alone, "mine")):
        build.an_agent(admin, owner, name=name)
    build.an_agent(admin, ann, name="z", is_system=True)
    with db.transaction(ann) as conn:
        assert [agent.name for agent in store.in_scope(conn, ann)] == ["z", "A", "b"]
    with db.transaction(alone) as conn:
        assert [agent.name for agent in store.in_scope(conn, alone)] == ["mine"]


def test_the_default_agent_is_the_system_one_and_else_the_oldest_active_one(
    db: Database, ann: Caller, admin: Connection[Any]
) -> None:
    def default() -> str | None:
        with db.transaction(ann) as conn:
            found = store.default_agent(conn, ann)
            return found.name if found else None

    assert default() is None
    build.an_agent(admin, ann, name="disabled", status="DISABLED", created_at="2020-01-01")
    build.an_agent(admin, ann, name="new")
    build.an_agent(admin, ann, name="old", created_at="2020-01-01")
    assert default() == "old"
    build.an_agent(admin, ann, name="system", is_system=True)
    assert default() == "system"


def test_a_kind_of_a_newer_release_is_read_as_standard(db: Database, ann: Caller, admin: Connection[Any]) -> None:
    agent = build.an_agent(admin, ann, kind="overlord")
    with db.transaction(ann) as conn:
        found = store.get(conn, AgentId(agent))
    assert found is not None
    assert found.kind is AgentKind.STANDARD


def test_a_task_overrides_only_what_it_names_and_a_switched_off_one_nothing(
    db: Database, ann: Caller, admin: Connection[Any]
) -> None:
    agent = AgentId(build.an_agent(admin, ann))
    keys = {"agent_id": agent, "company_id": ann.company_id, "created_by_id": ann.user_id}
    build.insert(admin, "agent_task_config", **keys, task_code="screen", temperature=0.1, enabled_tools=["GET_ME"])
    build.insert(admin, "agent_task_config", **keys, task_code="off", is_active=False)
    plain = ConversationId(build.a_conversation(admin, ann, agent=agent))
    linked = ConversationId(build.a_conversation(admin, ann, agent=agent, task_code="screen"))
    with db.transaction(ann) as conn:
        task = store.ask_task_of_conversation(conn, plain, "screen").get()
        assert store.ask_task_of_conversation(conn, linked, None).get() == task
        assert store.ask_task_of_conversation(conn, linked, "off").get() is None
        assert store.ask_task_of_conversation(conn, plain, "unknown").get() is None
        assert store.ask_task_of_conversation(conn, plain, None).get() is None
    assert task is not None
    assert (task.temperature, task.enabled_tools) == (0.1, [ToolType.GET_ME])
    assert (task.system_prompt, task.max_tokens, task.rag_enabled, task.rag_document_tags) == (None, None, None, [])
