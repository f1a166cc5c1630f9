"""The book of a turn that is not stored keeps what rows would, acts once, and leaves Postgres without a word of it."""

import json
import threading
from collections.abc import Callable
from typing import Any
from uuid import UUID, uuid4

import psycopg
import pytest

from rolecall.agents.models import ToolType
from rolecall.aws import packed
from rolecall.aws.live import LiveTable
from rolecall.conversations import ephemeral
from rolecall.conversations.models import Message, Role
from rolecall.db import Database
from rolecall.errors import ErrorCode, TurnFailed
from rolecall.identity import Caller
from rolecall.ids import AgentId, TurnId, ephemeral_id, is_ephemeral
from rolecall.llm.stream import Usage
from rolecall.settings import Settings
from rolecall.tools import store as tools
from rolecall.tools.declare import NoArguments, tool
from rolecall.tools.models import Call, CallStatus, ToolContext
from rolecall.tools.run import Ran, Workshop, run_call
from rolecall.turns import store
from rolecall.turns.book import Told
from rolecall.turns.models import TurnRef
from rolecall.turns.opening import Place
from rolecall.turns.unstored.book import Unstored
from rolecall.turns.unstored.items import turns_of
from tests.fakes.builders import a_company, a_tool_definition, a_user, an_agent

TTL = 3600
SAID = "a text that nobody is to find"


@pytest.fixture
def caller(admin: psycopg.Connection[Any]) -> Caller:
    return a_user(admin, company=a_company(admin))


@pytest.fixture
def agent(admin: psycopg.Connection[Any], caller: Caller) -> UUID:
    a_tool_definition(admin)
    return an_agent(admin, caller)


@pytest.fixture
def begin(live: LiveTable, db: Database, caller: Caller, agent: UUID) -> Callable[..., Unstored]:
    """Begin turns of one conversation that is not kept."""
    conversation = ephemeral_id(uuid4())
    kept_by = {"agent_id": AgentId(agent), "title": None, "task_code": None, "ttl": TTL}
    ephemeral.create(live, caller, conversation_id=conversation, **kept_by)  # type: ignore[arg-type]

    def begin(said: str = SAID, **fields: Any) -> Unstored:
        turn = TurnRef(TurnId(uuid4()), conversation, caller.user_id, caller.company_id, stored=False)
        book = Unstored(live, turn, ttl=TTL)
        with db.transaction(caller) as conn:
            place = Place(conversation, **fields)
            opening = book.opening(conn, place, Settings(), with_user=False)
            user_row = Message.new(uuid4(), conversation, Role.USER, content=said)
            assert book.begin(conn, user_row, _answer(turn), opening.setting, **fields)
        return book

    return begin


def _answer(turn: TurnRef) -> Message:
    return Message.new(turn.turn_id, turn.conversation_id, Role.ASSISTANT)


def a_call(turn: TurnRef, agent: UUID, **fields: Any) -> Call:
    values: dict[str, Any] = {
        "turn_id": turn.turn_id,
        "tool_call_id": f"call-{uuid4().hex[:8]}",
        "conversation_id": turn.conversation_id,
        "agent_id": agent,
        "hop": 1,
        "position": 0,
        "function_name": "get_me",
        "tool_code": "get_me",
        "tool_type": "GET_ME",
        "status": CallStatus.PENDING,
        "input": {"text": SAID},
        "output": None,
        "error_message": None,
        "execution_time_ms": None,
    }
    return Call(**(values | fields))


def save(db: Database, book: Unstored, *calls: Call, text: str = "") -> bool:
    entries = [{"toolCallId": call.tool_call_id, "toolName": call.function_name, "hop": 1} for call in calls]
    segments = [{"type": "text", "text": text, "hop": 1}]
    told = Told(text, segments, entries, Usage(10, 5), "tool_use", calls)
    with db.transaction(book._turn.caller) as conn:
        return book.save_hop(conn, told)


def run(db: Database, live: LiveTable, book: Unstored, call: Call, handler: Any) -> Ran | None:
    """Run a call as another function does: with a book of its own."""
    declared = tool(type=ToolType.GET_ME, name="A tool", search_queries="", category="self", arguments=NoArguments)
    book = Unstored(live, book._turn, ttl=TTL)
    workshop = Workshop(db, {"get_me": declared(handler)}, Settings(), book.calls)
    return run_call(workshop, book._turn.caller, book._turn.turn_id, call.tool_call_id)


def renames(context: ToolContext, _: NoArguments) -> dict[str, Any]:
    """Add an exclamation mark to the caller's title."""
    context.conn.execute("UPDATE app_user SET title = coalesce(title, '') || '!'")
    return {"said": SAID}


def test_an_id_of_a_conversation_tells_whether_it_is_kept() -> None:
    assert all(is_ephemeral(ephemeral_id(uuid4())) and not is_ephemeral(uuid4()) for _ in range(50))


def test_a_call_acts_once_and_only_its_status_is_in_postgres(
    admin: psycopg.Connection[Any], db: Database, live: LiveTable, begin: Callable[..., Unstored], agent: UUID
) -> None:
    book = begin()
    call = a_call(book._turn, agent, input={})
    save(db, book, call)

    first, again = (run(db, live, book, call, renames) for _ in range(2))

    assert first is not None
    assert again is not None
    assert (first.repeated, again.repeated) == (False, True)
    assert first.call.output == again.call.output == {"said": SAID}
    assert admin.execute("SELECT title FROM app_user").fetchone() == ("!",)
    row = admin.execute("SELECT status, input, output, error_message FROM agent_tool_execution").fetchone()
    assert row == ("SUCCEEDED", None, None, None)
    assert book._items.calls()[0].output == {"said": SAID}


def test_a_call_whose_commit_was_lost_is_done_anew(
    admin: psycopg.Connection[Any],
    db: Database,
    live: LiveTable,
    begin: Callable[..., Unstored],
    agent: UUID,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    book = begin()
    call = a_call(book._turn, agent, input={})
    save(db, book, call)
    with monkeypatch.context() as patched:
        patched.setattr(tools, "end_call", _lost)
        with pytest.raises(ConnectionError):
            run(db, live, book, call, renames)

    ran = run(db, live, book, call, renames)

    assert ran is not None
    assert not ran.repeated
    assert admin.execute("SELECT title FROM app_user").fetchone() == ("!",)


def _lost(*_: Any, **__: Any) -> None:
    raise ConnectionError


def test_a_call_of_a_turn_that_ended_meanwhile_is_taken_back(
    admin: psycopg.Connection[Any], db: Database, live: LiveTable, begin: Callable[..., Unstored], agent: UUID
) -> None:
    book = begin()
    call = a_call(book._turn, agent, input={})
    save(db, book, call)

    def outlived(context: ToolContext, arguments: NoArguments) -> dict[str, Any]:
        """Run while the turn is ended."""
        with db.transaction(context.caller) as conn:
            assert book.fail(conn, ErrorCode.CANCELLED, "Stopped.", "")
        return renames(context, arguments)

    ran = run(db, live, book, call, outlived)

    assert ran is not None
    assert ran.call.status == CallStatus.CANCELLED
    assert admin.execute("SELECT title FROM app_user").fetchone() == (None,)


def test_a_turn_is_not_ended_while_a_call_is_about_to_be_kept(
    db: Database, begin: Callable[..., Unstored], caller: Caller
) -> None:
    book, ended = begin(), threading.Event()

    def end() -> None:
        with db.transaction(caller) as conn:
            book.fail(conn, ErrorCode.CANCELLED, "Stopped.", "")
        ended.set()

    with db.transaction(caller) as conn:
        store.hold_open(conn, book._turn.turn_id)
        thread = threading.Thread(target=end)
        thread.start()
        assert not ended.wait(0.3)
    assert ended.wait(5)
    thread.join()


def test_a_lost_call_is_closed_and_never_runs(
    db: Database, live: LiveTable, begin: Callable[..., Unstored], agent: UUID, caller: Caller
) -> None:
    book = begin()
    call = a_call(book._turn, agent)
    save(db, book, call)
    with db.transaction(caller) as conn:
        (closed,) = book.close_lost(conn, 1, "Interrupted.")

    ran = run(db, live, book, call, renames)

    assert (closed.status, closed.input, closed.error_message) == (CallStatus.FAILED, {"text": SAID}, "Interrupted.")
    assert ran is not None
    assert (ran.repeated, ran.call.shown_output) == (True, "Interrupted.")


def test_a_name_that_the_model_made_up_is_not_logged(
    admin: psycopg.Connection[Any], db: Database, begin: Callable[..., Unstored], agent: UUID
) -> None:
    book = begin()
    call = a_call(
        book._turn, agent, function_name="secret", tool_code=None, status=CallStatus.FAILED, error_message=SAID
    )
    save(db, book, call)

    row = admin.execute("SELECT function_name, status, error_message FROM agent_tool_execution").fetchone()
    assert row == ("unknown", "FAILED", None)


def test_texts_of_any_size_and_kind_are_read_back(
    db: Database, live: LiveTable, begin: Callable[..., Unstored], agent: UUID, caller: Caller
) -> None:
    book = begin()
    text = "".join(f"{uuid4()}" for _ in range(40_000))
    odd = a_call(book._turn, agent, input={"text": "\x00 \ud83d 😀", "long": text})

    assert save(db, book, odd, text=text)

    with db.transaction(caller) as conn:
        answer = book.answer(conn)
        (call,) = book.calls_made(conn)
    assert answer is not None
    assert answer.content == text
    assert call.input["long"] == text
    json.dumps(call.input, ensure_ascii=False).encode()


def test_writers_at_the_same_time_do_not_undo_each_other(begin: Callable[..., Unstored]) -> None:
    book = begin()

    def add(number: int) -> None:
        book._items.change(lambda written: _with_source(written, number))

    threads = [threading.Thread(target=add, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    written = book._items.read()
    assert written is not None
    assert sorted(source["n"] for source in written.answer.sources) == [0, 1, 2, 3]


def _with_source(written: Any, number: int) -> Any:
    from dataclasses import replace

    return replace(written, answer=replace(written.answer, sources=[*written.answer.sources, {"n": number}]))


def test_a_turn_ends_once_and_counts_its_tokens_once(
    admin: psycopg.Connection[Any], db: Database, begin: Callable[..., Unstored], caller: Caller
) -> None:
    book = begin()
    save(db, book, text="Hello")
    with db.transaction(caller) as conn:
        ended = [book.complete(conn, "end_turn"), book.complete(conn, "end_turn")]
        ended.append(book.fail(conn, ErrorCode.CANCELLED, "Stopped.", "more"))
        answer = book.answer(conn)

    assert ended == [True, False, False]
    assert answer is not None
    assert (answer.status, answer.content, answer.stop_reason) == ("COMPLETED", "Hello", "end_turn")
    used = admin.execute("SELECT message_count, input_tokens, output_tokens FROM agent_token_usage").fetchall()
    assert used == [(1, 10, 5)]


def test_text_that_was_saved_is_not_added_again_when_the_turn_fails(
    db: Database, begin: Callable[..., Unstored], caller: Caller
) -> None:
    saved, unsaved = begin(), begin()
    for book in (saved, unsaved):
        save(db, book, text="One.")
        with db.transaction(caller) as conn:
            book.fail(conn, ErrorCode.CHAT_ERROR, "Broke.", "One." if book is saved else " Two.")

    texts = [written.answer.content for book in (saved, unsaved) if (written := book._items.read())]
    assert texts == ["One.", "One. Two."]


def test_a_conversation_that_goes_on_keeps_its_turns_and_one_that_expired_takes_none(
    db: Database, live: LiveTable, begin: Callable[..., Unstored], caller: Caller
) -> None:
    first = begin("one")
    key = first._items._key
    item = live.get(*key)
    assert item is not None
    soon = packed.until(60)
    live.write(packed.Write(verb="Put", key=key, item=item | {"expires_at": soon}))

    second = begin("two")
    refreshed = live.get(*key)
    turns = turns_of(live, second._turn.conversation_id, caller)

    assert refreshed is not None
    assert refreshed["expires_at"] > soon
    assert [turn.said.content for _, turn in turns] == ["one", "two"]
    ephemeral.delete(live, second._turn.conversation_id, caller)
    with pytest.raises(TurnFailed) as gone:
        begin("three")
    assert gone.value.code == ErrorCode.CONVERSATION_NOT_FOUND
