"""A tool that thinks: between two transactions, once by its outcome, with its thoughts in the turn."""

from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from rolecall.agents.models import ToolType
from rolecall.db import Database
from rolecall.errors import ToolFailed
from rolecall.identity import Caller
from rolecall.ids import TurnId
from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.stream import Finished, Usage
from rolecall.llm.types import ConverseRequest
from rolecall.settings import Settings
from rolecall.tools.declare import Tool, tool
from rolecall.tools.models import Call, CallDiscarded, CallStatus, ThinkingContext
from rolecall.tools.run import Ran, Workshop, run_call
from tests.fakes.builders import a_company, a_conversation, a_message, a_tool_execution, a_user

ASKED: ConverseRequest = {"messages": [{"role": "user", "content": [{"text": "hm?"}]}]}


class FakeThinker:
    """Thinks what it is told to, and does something meanwhile."""

    def __init__(self, meanwhile: Callable[[], None]) -> None:
        self.thoughts: list[str] = []
        self.usage = Usage()
        self._meanwhile = meanwhile

    def __call__(self, request: ConverseRequest) -> Finished:
        self.thoughts.append(f"thought {len(self.thoughts) + 1}")
        self._meanwhile()
        self.usage += Usage(5, 7, 2, 3)
        return Finished("end_turn", [{"text": "done"}])


def ponder(context: ThinkingContext, _: Any) -> dict[str, Any]:
    """Look, think, answer."""
    with context.transaction() as conn:
        (title,) = conn.execute("SELECT title FROM app_user WHERE id = %s", [context.caller.user_id]).fetchone()
    return {"title": title, "said": context.think(ASKED).content}


@pytest.fixture
def caller(admin: psycopg.Connection) -> Caller:
    return a_user(admin, company=a_company(admin))


@pytest.fixture
def turn(admin: psycopg.Connection, caller: Caller) -> dict[str, Any]:
    return a_message(admin, a_conversation(admin, caller), role="ASSISTANT", status="STREAMING", content="")


@pytest.fixture
def call_id(admin: psycopg.Connection, turn: dict[str, Any]) -> Iterator[str]:
    return a_tool_execution(admin, turn, tool_code="ponder", tool_type="GET_ME", input={})["tool_call_id"]


def declared(handler: Any = ponder) -> dict[str, Tool]:
    made = tool(type=ToolType.GET_ME, name="A tool", search_queries="", category="self", thinks=True)(handler)
    return {"ponder": made}


def run_it(
    db: Database,
    caller: Caller,
    turn: dict[str, Any],
    call_id: str,
    meanwhile: Callable[[], None] = lambda: None,
    handler: Any = ponder,
) -> Ran | None:
    def thinker(call: Call) -> FakeThinker:
        return FakeThinker(meanwhile)

    workshop = Workshop(db, declared(handler), Settings(), thinker=thinker)
    return run_call(workshop, caller, TurnId(turn["id"]), call_id)


def row(admin: psycopg.Connection, turn: dict[str, Any]) -> tuple[Any, ...]:
    columns = "content_segments, input_tokens, output_tokens, cached_tokens, cache_write_tokens"
    found = admin.execute(f"SELECT {columns} FROM agent_message WHERE id = %s", [turn["id"]]).fetchone()
    assert found is not None
    return found


def status(admin: psycopg.Connection, call_id: str) -> str:
    found = admin.execute("SELECT status FROM agent_tool_execution WHERE tool_call_id = %s", [call_id]).fetchone()
    assert found is not None
    return str(found[0])


def test_a_tool_thinks_with_no_lock_held_and_its_thoughts_are_kept(
    admin: psycopg.Connection, db: Database, caller: Caller, turn: dict[str, Any], call_id: str
) -> None:
    seen: list[str] = []

    def meanwhile() -> None:
        admin.execute("SELECT FROM agent_tool_execution WHERE tool_call_id = %s FOR UPDATE NOWAIT", [call_id])
        admin.execute("SELECT FROM agent_message WHERE id = %s FOR UPDATE NOWAIT", [turn["id"]])
        seen.append(status(admin, call_id))

    ran = run_it(db, caller, turn, call_id, meanwhile)

    assert ran is not None
    assert (ran.call.status, ran.call.output["said"]) == (CallStatus.SUCCEEDED, [{"text": "done"}])
    assert (seen, status(admin, call_id)) == (["RUNNING"], "SUCCEEDED")
    thought = {"type": "reasoning", "hop": 1, "toolCallId": call_id, "text": "thought 1"}
    assert row(admin, turn) == ([thought], 5, 7, 2, 3)


def test_a_turn_that_ended_meanwhile_gets_nothing_of_it(
    admin: psycopg.Connection, db: Database, caller: Caller, turn: dict[str, Any], call_id: str
) -> None:
    def meanwhile() -> None:
        admin.execute(
            "UPDATE agent_message SET status = 'FAILED', error_code = 'CANCELLED', completed_at = now() WHERE id = %s",
            [turn["id"]],
        )

    ran = run_it(db, caller, turn, call_id, meanwhile)

    assert ran is not None
    assert (ran.call.status, ran.call.output) == (CallStatus.CANCELLED, None)
    assert row(admin, turn)[0] == []


def test_the_first_outcome_of_two_runs_counts(
    admin: psycopg.Connection, db: Database, caller: Caller, turn: dict[str, Any], call_id: str
) -> None:
    inner: list[Ran | None] = []

    def meanwhile() -> None:
        if not inner:
            inner.append(None)
            inner[0] = run_it(db, caller, turn, call_id)

    outer = run_it(db, caller, turn, call_id, meanwhile)

    assert inner[0] is not None
    assert outer is not None
    assert (inner[0].repeated, outer.repeated) == (False, True)
    assert len(row(admin, turn)[0]) == 1
    flat = admin.execute("SELECT count(*) FROM agent_message WHERE role = 'TOOL'").fetchone()
    assert flat == (1,)


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (ModelError(ModelErrorKind.THROTTLED), "The model is busy."),
        (ToolFailed("Not so."), "Not so."),
        (RuntimeError("secret"), "The tool failed; nothing was changed."),
    ],
)
def test_a_tool_that_fails_after_thinking_keeps_its_thoughts_and_tells_why(
    admin: psycopg.Connection,
    db: Database,
    caller: Caller,
    turn: dict[str, Any],
    call_id: str,
    error: Exception,
    told: str,
) -> None:
    def handler(context: ThinkingContext, _: Any) -> dict[str, Any]:
        """Think, then fail."""
        context.think(ASKED)
        raise error

    ran = run_it(db, caller, turn, call_id, handler=handler)

    assert ran is not None
    assert (ran.call.status, ran.call.shown_output) == (CallStatus.FAILED, told)
    assert [segment["text"] for segment in row(admin, turn)[0]] == ["thought 1"]


def test_a_discarded_thought_is_a_cancelled_call(
    admin: psycopg.Connection, db: Database, caller: Caller, turn: dict[str, Any], call_id: str
) -> None:
    def meanwhile() -> None:
        raise CallDiscarded

    ran = run_it(db, caller, turn, call_id, meanwhile)

    assert ran is not None
    assert (ran.call.status, status(admin, call_id)) == (CallStatus.CANCELLED, "CANCELLED")


def test_a_tool_that_thinks_may_not_write() -> None:
    with pytest.raises(ValueError, match="writes nothing"):
        tool(type=ToolType.GET_ME, name="A tool", search_queries="", category="self", thinks=True, requires_write=True)
