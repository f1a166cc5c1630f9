"""Turns and conversations that are not kept: used like any other, and nowhere to be found afterwards."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from local.bedrock.answer import CallTool, Say
from local.client import Client, RequestFailed
from local.demo import DEMO_JOB_SEEKER
from local.stack import Stack
from rolecall.db.bootstrap import DATABASE
from tests.fakes.waiting import eventually

Rows = Callable[..., list[dict[str, Any]]]
SLOW = "one two three four five six seven eight nine ten " * 6


@pytest.fixture
def unkept(recruiter: Client) -> str:
    """A conversation of the recruiter's that is not kept."""
    made: str = recruiter.request("createConversation", store=False)["conversation"]["conversationId"]
    return made


def test_an_unkept_conversation_remembers_its_turns_with_tools_while_it_lives(
    stack: Stack, recruiter: Client, unkept: str, rows: Rows
) -> None:
    first = list(recruiter.chat(unkept, "Who am I?"))
    second = list(recruiter.chat(unkept, "And once more, hello"))

    assert [event["seq"] for event in first] == list(range(1, len(first) + 1))
    assert first[-1]["type"] == second[-1]["type"] == "ChatComplete"
    sent = stack.bedrock.requests[-1].body["messages"]
    assert sent[0]["content"] == [{"text": "Who am I?"}]
    assert any("toolResult" in block for message in sent for block in message["content"])
    shown = recruiter.request("conversationMessages", conversationId=unkept)["messages"]
    assert [message["role"] for message in shown] == ["USER", "ASSISTANT"] * 2
    assert shown[1]["toolCalls"][0]["success"] is True
    assert shown[1]["content"] == first[-1]["content"]
    assert rows("SELECT id FROM agent_conversation WHERE id = %(id)s", id=unkept) == []
    assert rows("SELECT id FROM agent_message WHERE id = %(id)s", id=first[-1]["messageId"]) == []


def test_an_unkept_conversation_is_not_listed_and_is_deleted_at_once(
    stack: Stack, recruiter: Client, unkept: str
) -> None:
    events = list(recruiter.chat(unkept, "Hello"))
    listed = recruiter.request("listConversations", limit=100)["conversations"]

    recruiter.request("deleteConversation", conversationId=unkept)

    assert unkept not in {row["conversationId"] for row in listed}
    assert events[-1]["content"] not in _live_texts(stack)
    with pytest.raises(RequestFailed, match="no such conversation"):
        recruiter.request("conversationMessages", conversationId=unkept)
    after = list(recruiter.chat(unkept, "Are you still there?"))
    assert (after[-1]["type"], after[-1]["code"]) == ("ChatError", "CONVERSATION_NOT_FOUND")


def _live_texts(stack: Stack) -> str:
    pages = stack.client("dynamodb").get_paginator("scan").paginate(TableName="rolecall-live")
    return json.dumps([item for page in pages for item in page["Items"]], default=str)
