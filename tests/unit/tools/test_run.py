"""A tool call acts once, and every failure is words for the model."""

import threading
from collections.abc import Mapping
from typing import Any
from uuid import UUID

import psycopg
import pytest

from rolecall.agents.models import ToolType
from rolecall.db import Database
from rolecall.errors import ToolFailed, ToolRetry
from rolecall.identity import Caller
from rolecall.ids import TurnId
from rolecall.protocol.limits import TOOL_OUTPUT_BYTES
from rolecall.settings import Settings
from rolecall.tools.declare import Arguments, NoArguments, Tool, catalogue, tool
from rolecall.tools.models import CallStatus, ToolContext
from rolecall.tools.run import Ran, Workshop, run_call
from rolecall.tools.seed import seed
from tests.fakes.builders import a_company, a_conversation, a_message, a_tool_execution, a_user


class Text(Arguments):
    text: str


def a_tool(
    handler: Any, arguments: type[Arguments] = NoArguments, type_: ToolType = ToolType.GET_ME
) -> Mapping[str, Tool]:
    declared = tool(type=type_, name="A tool", search_queries="", category="self", arguments=arguments)(handler)
    return {"get_me": declared}


@pytest.fixture
def caller(admin: psycopg.Connection) -> Caller:
    return a_user(admin, company=a_company(admin))


@pytest.fixture
def turn(admin: psycopg.Connection, caller: Caller) -> dict[str, Any]:
    conversation = a_conversation(admin, caller)
    return a_message(admin, conversation, role="ASSISTANT", status="STREAMING", content="")


def run_in(db: Database, tools: Mapping[str, Tool], caller: Caller, turn_id: TurnId, call_id: str) -> Ran | None:
    return run_call(Workshop(db, tools, Settings()), caller, turn_id, call_id)


def a_call(admin: psycopg.Connection, turn: dict[str, Any], **columns: Any) -> str:
    defaults = {"tool_code": "get_me", "tool_type": "GET_ME", "input": {}}
    call_id: str = a_tool_execution(admin, turn, **(defaults | columns))["tool_call_id"]
    return call_id


def stored(admin: psycopg.Connection, call_id: str) -> tuple[Any, ...]:
    row = admin.execute(
        "SELECT status, output, error_message, attempts FROM agent_tool_execution WHERE tool_call_id = %s", [call_id]
    ).fetchone()
    assert row is not None
    return row


def retitle(context: ToolContext, _: Any) -> dict[str, Any]:
    """Change something, so that acting twice would show."""
    context.conn.execute(
        "UPDATE app_user SET title = coalesce(title, '') || 'x' WHERE id = %s", [context.caller.user_id]
    )
    return {"ok": True}


def test_a_call_run_by_many_at_once_acts_once(
    admin: psycopg.Connection, db: Database, caller: Caller, turn: dict[str, Any]
) -> None:
    call_id = a_call(admin, turn)
    ran: list[Any] = []

    def run() -> None:
        ran.append(run_in(db, a_tool(retitle), caller, TurnId(turn["id"]), call_id))

    threads = [threading.Thread(target=run) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sorted(each.repeated for each in ran) == [False] + [True] * 7
    assert admin.execute("SELECT title FROM app_user").fetchall() == [("x",)]
    assert stored(admin, call_id) == ("SUCCEEDED", {"ok": True}, None, 1)
    flat = admin.execute("SELECT content FROM agent_message WHERE role = 'TOOL'").fetchall()
    assert flat == [('{"ok": true}',)]


@pytest.mark.parametrize(
    ("error", "message"),
    [
        (ToolRetry("Give another name."), "Give another name."),
        (ToolFailed("There is no such thing."), "There is no such thing."),
        (RuntimeError("secret detail"), "The tool failed; nothing was changed."),
        (ZeroDivisionError(), "The tool failed; nothing was changed."),
    ],
)
def test_a_tool_that_raises_leaves_nothing_but_words_for_the_model(
    admin: psycopg.Connection, db: Database, caller: Caller, turn: dict[str, Any], error: Exception, message: str
) -> None:
    def handler(context: ToolContext, arguments: Any) -> dict[str, Any]:
        """Write, then fail."""
        retitle(context, arguments)
        raise error

    call_id = a_call(admin, turn)
    ran = run_in(db, a_tool(handler), caller, TurnId(turn["id"]), call_id)

    assert ran is not None
    assert (ran.call.status, ran.call.shown_output) == (CallStatus.FAILED, message)
    assert stored(admin, call_id)[:3] == ("FAILED", None, message)
    assert admin.execute("SELECT title FROM app_user").fetchall() == [(None,)]


def test_a_tool_that_breaks_its_transaction_is_an_error_like_any_other(
    admin: psycopg.Connection, db: Database, caller: Caller, turn: dict[str, Any]
) -> None:
    def handler(context: ToolContext, _: Any) -> dict[str, Any]:
        """Send nonsense to the database."""
        context.conn.execute("SELECT 1/0")
        return {}

    ran = run_in(db, a_tool(handler), caller, TurnId(turn["id"]), a_call(admin, turn))

    assert ran is not None
    assert ran.call.status == CallStatus.FAILED


@pytest.mark.parametrize("arguments", [{}, {"text": 5}, {"text": "a", "more": 1}])
def test_arguments_that_do_not_fit_are_named_and_not_repeated(
    admin: psycopg.Connection, db: Database, caller: Caller, turn: dict[str, Any], arguments: dict[str, Any]
) -> None:
    def handler(context: ToolContext, given: Text) -> dict[str, Any]:
        """Never reached."""
        raise AssertionError

    call_id = a_call(admin, turn, input=arguments)
    ran = run_in(db, a_tool(handler, Text), caller, TurnId(turn["id"]), call_id)

    assert ran is not None
    assert ran.call.status == CallStatus.FAILED
    assert "text" in str(ran.call.error_message) or "more" in str(ran.call.error_message)


def test_a_recruiters_tool_does_not_run_for_a_job_seeker(admin: psycopg.Connection, db: Database) -> None:
    seeker = a_user(admin)
    turn = a_message(admin, a_conversation(admin, seeker), role="ASSISTANT", status="STREAMING", content="")
    call_id = a_call(admin, turn)

    ran = run_in(db, a_tool(retitle, type_=ToolType.EDIT_JOB), seeker, TurnId(turn["id"]), call_id)

    assert ran is not None
    assert ran.call.status == CallStatus.FAILED


def test_somebody_elses_call_is_not_found(
    admin: psycopg.Connection, db: Database, caller: Caller, turn: dict[str, Any]
) -> None:
    call_id = a_call(admin, turn)

    assert run_in(db, a_tool(retitle), a_user(admin), TurnId(turn["id"]), call_id) is None
    assert run_in(db, a_tool(retitle), caller, TurnId(UUID(int=1)), call_id) is None


def test_an_output_over_the_cap_is_cut_and_says_so(
    admin: psycopg.Connection, db: Database, caller: Caller, turn: dict[str, Any]
) -> None:
    def handler(context: ToolContext, _: Any) -> dict[str, Any]:
        """Return too much."""
        return {"text": "å" * 60_000}

    ran = run_in(db, a_tool(handler), caller, TurnId(turn["id"]), a_call(admin, turn))

    assert ran is not None
    assert ran.call.output["truncated"] is True
    assert len(ran.call.output["start"].encode()) <= TOOL_OUTPUT_BYTES


def test_two_tools_of_one_code_are_refused() -> None:
    first, second = a_tool(retitle)["get_me"], a_tool(retitle)["get_me"]
    modules = [type("a", (), {"t": first}), type("b", (), {"t": second})]

    with pytest.raises(ValueError, match="retitle"):
        catalogue(modules)


def test_seeding_writes_only_what_changed_and_keeps_wording_kept_by_hand(
    admin: psycopg.Connection, postgres: Any
) -> None:
    database = Database(postgres.url("seed"))
    declared = tool(type=ToolType.GET_ME, name="One", search_queries="", category="self")(retitle)
    other = tool(type=ToolType.GET_MY_STATS, name="Two", search_queries="", category="self", code="two")(retitle)
    renamed = tool(type=ToolType.GET_ME, name="Uno", search_queries="", category="self")(retitle)

    first = seed(database, [declared, other])
    same = seed(database, [declared, other])
    changed = seed(database, [renamed])
    version = admin.execute("SELECT name, version FROM agent_tool_definition").fetchall()
    admin.execute("UPDATE agent_tool_definition SET is_customized = true, name = 'Ours'")
    kept = seed(database, [declared])
    database.close()

    assert first.added == ["retitle", "two"]
    assert (same.added, same.changed, same.removed) == ([], [], [])
    assert (changed.changed, changed.removed) == (["retitle"], ["two"])
    assert version == [("Uno", 2)]
    assert (kept.added, kept.changed) == ([], [])
    assert admin.execute("SELECT name FROM agent_tool_definition").fetchall() == [("Ours",)]
