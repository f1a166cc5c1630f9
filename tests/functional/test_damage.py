"""A conversation whose stored rows were damaged by hand goes on at the next message, and is whole afterwards."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from local.client import Client
from local.stack import Stack
from rolecall.conversations.mend import INTERRUPTED
from rolecall.db.bootstrap import DATABASE

Row = dict[str, Any]
Rows = Callable[..., list[Row]]
TURN = "SELECT * FROM agent_message WHERE id = %(turn)s"


def segments(row: Row, kind: str) -> list[Row]:
    return [segment for segment in row["content_segments"] if segment["type"] == kind]


def answered(row: Row) -> bool:
    """Whether each call has one entry with its result, and one segment."""
    ids = [call["toolCallId"] for call in row["tool_calls"]]
    return (
        len(set(ids)) == len(ids)
        and all(isinstance(call["success"], bool) and isinstance(call["input"], dict) for call in row["tool_calls"])
        and sorted(segment["toolCallId"] for segment in segments(row, "tool_call")) == sorted(ids)
    )


def with_result_of_its_row(row: Row) -> bool:
    return answered(row) and row["tool_calls"][0]["success"] and "email" in row["tool_calls"][0]["output"]


def interrupted(row: Row) -> bool:
    return answered(row) and row["tool_calls"][0]["output"] == INTERRUPTED


def sound(row: Row) -> bool:
    """Whether it is answered, says in text segments what it says, and no text is blank."""
    texts = [segment["text"] for segment in segments(row, "text")]
    return answered(row) and bool(texts) and all(text.strip("\u200b ") for text in texts) and bool(row["content"])


def failed(row: Row) -> bool:
    return row["status"] == "FAILED" and row["error_code"] == "STREAM_TIMEOUT"


CHANGE = "UPDATE agent_message SET {} WHERE id = %(turn)s"
UNANSWERED = "tool_calls = jsonb_build_array((tool_calls -> 0) - 'success' - 'output' - 'status')"
NO_TOOL_ROWS = "DELETE FROM agent_message WHERE parent_message_id = %(turn)s AND role = 'TOOL'; "
COPY = """
    INSERT INTO agent_message (conversation_id, company_id, user_id, agent_id, role, content, tool_call_id,
        parent_message_id)
    SELECT conversation_id, company_id, user_id, agent_id, '{}', 'Left behind', {}, {} FROM agent_message
    WHERE id = %(turn)s
"""
DAMAGE: dict[str, tuple[str, Callable[[Row], bool]]] = {
    "an orphan call among the segments": (
        CHANGE.format("""content_segments = '[{"type": "tool_call", "toolCallId": "ghost", "hop": 1}]'
            || content_segments"""),
        sound,
    ),
    "malformed calls": (
        CHANGE.format("""tool_calls = '[1, null, "x", [], {}, {"toolName": 5}]' || tool_calls"""),
        sound,
    ),
    "duplicated calls": (CHANGE.format("tool_calls = tool_calls || tool_calls"), sound),
    "other calls of the same id": (
        CHANGE.format("""tool_calls = tool_calls || jsonb_set(tool_calls, '{0,input}', '{"other": 1}')"""),
        sound,
    ),
    "blank segments": (
        CHANGE.format("""content_segments = '[{"type": "text", "text": " ", "hop": 1},
            {"type": "text", "text": "\u200b", "hop": 2}]' || content_segments"""),
        sound,
    ),
    "no segments": (CHANGE.format("content_segments = '[]'"), sound),
    "no content": (CHANGE.format("content = ''"), sound),
    "no calls": (CHANGE.format("tool_calls = '[]'"), sound),
    "segments of an unknown type": (
        CHANGE.format("""content_segments = content_segments || '[{"type": "hologram", "text": "Seen"}, {"x": 1}]'"""),
        lambda row: sound(row) and segments(row, "text")[-1]["text"] == "Seen",
    ),
    "a call without its result": (CHANGE.format(UNANSWERED), with_result_of_its_row),
    "a call without any result": (NO_TOOL_ROWS + CHANGE.format(UNANSWERED), interrupted),
    "an orphan TOOL row": (COPY.format("TOOL", "'nobody'", "id"), sound),
    "a TOOL row under a question": (COPY.format("TOOL", "'nobody'", "parent_message_id"), sound),
    "an answer left STREAMING": (
        CHANGE.format("status = 'STREAMING', content = '', content_segments = '[]', tool_calls = '[]'"),
        failed,
    ),
    "an answer left STREAMING between two writes": (
        NO_TOOL_ROWS + CHANGE.format(f"status = 'STREAMING', {UNANSWERED}"),
        lambda row: failed(row) and interrupted(row),
    ),
    "two questions in a row": (COPY.format("USER", "NULL", "NULL"), sound),
    "an answer first": (
        """UPDATE agent_message SET parent_message_id = NULL WHERE id = %(turn)s; DELETE FROM agent_message
            USING agent_message AS answer WHERE answer.id = %(turn)s AND agent_message.role = 'USER'
            AND agent_message.conversation_id = answer.conversation_id""",
        sound,
    ),
    "wrong types everywhere": (
        CHANGE.format("""content_segments = '[1, "said", null, [[]], {"type": "text", "text": 7, "hop": "x"},
            {"type": "reasoning", "text": null, "signature": 1, "hop": -1}, {"type": "tool_call", "toolCallId": 7}]',
            tool_calls = '["a", {"toolCallId": 7, "toolName": null, "input": "{\\"q\\": 1}", "success": "true",
            "output": [1]}]', sources = '[1, {"n": 1}]', page_context = '[1]', rag_context = '"x"'"""),
        lambda row: sound(row) and row["sources"] == [{"n": 1}] and row["tool_calls"][0]["input"] == {"q": 1},
    ),
    "a row of an older release": (
        CHANGE.format("""content_segments = '[{"type": "text", "text": "I look."}, {"type": "tool_call", "id": "c1"},
            {"text": "Found."}]', tool_calls = '[{"id": "c1", "name": "get_me", "arguments": "{}", "result": "x"}]'"""),
        lambda row: sound(row) and row["tool_calls"][0]["toolName"] == "get_me",
    ),
}


@pytest.fixture
def damage(stack: Stack) -> Callable[[str, str], None]:
    """Change rows past every policy."""
    url = make_conninfo(stack.superuser_url, dbname=DATABASE)

    def change(statements: str, turn: str) -> None:
        with psycopg.connect(url) as conn:
            for statement in statements.split("; "):
                conn.execute(statement, {"turn": turn})  # type: ignore[call-overload]

    return change


@pytest.mark.parametrize("kind", DAMAGE)
def test_a_damaged_conversation_goes_on_and_is_mended(
    kind: str,
    stack: Stack,
    recruiter: Client,
    conversation: str,
    rows: Rows,
    damage: Callable[[str, str], None],
) -> None:
    statements, is_whole = DAMAGE[kind]
    turn = list(recruiter.chat(conversation, "Who am I?"))[-1]["messageId"]
    damage(statements, turn)

    shown = recruiter.request("conversationMessages", conversationId=conversation)["messages"]
    events = list(recruiter.chat(conversation, "And once more, hello"))

    assert shown
    assert events[-1]["type"] == "ChatComplete"
    assert events[-1]["content"]
    (row,) = rows(TURN, turn=turn)
    assert is_whole(row), row
    told = stack.bedrock.requests[-1].body["messages"]
    assert told[-1]["content"][-1] == {"text": "And once more, hello"} or "cachePoint" in told[-1]["content"][-1]


def test_nothing_that_was_said_is_lost_and_a_sound_row_is_not_written(
    recruiter: Client, conversation: str, rows: Rows
) -> None:
    turn = list(recruiter.chat(conversation, "Who am I?"))[-1]["messageId"]
    before = rows(TURN, turn=turn)

    list(recruiter.chat(conversation, f"Hello {uuid4()}"))

    assert rows(TURN, turn=turn) == before
