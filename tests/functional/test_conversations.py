"""The list of conversations: found, renamed, deleted, and other sockets told about it."""

import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from local.client import Client, RequestFailed

NOWHERE = "00000000-0000-4000-8000-000000000000"


def ids_of(client: Client, **fields: Any) -> list[str]:
    return [row["conversationId"] for row in client.request("listConversations", **fields)["conversations"]]


def told(client: Client, conversation: str, status: str) -> dict[str, Any]:
    """Wait for what a socket is told about a conversation."""
    deadline = time.monotonic() + 10
    while time.monotonic() < deadline:
        frame = client._receive(0.5)
        if frame and (frame.get("conversationId"), frame.get("status")) == (conversation, status):
            return frame
    raise AssertionError("nothing was told")


def test_a_new_title_is_listed_and_told_to_the_users_other_sockets(
    recruiter: Client, connect: Callable[..., Client], conversation: str
) -> None:
    other = connect()

    reply = recruiter.request("updateConversation", conversationId=conversation, title="  Nordic \n hiring ")

    assert reply["conversation"]["title"] == "Nordic hiring"
    assert told(other, conversation, "ACTIVE")["title"] == "Nordic hiring"
    listed = recruiter.request("listConversations")["conversations"]
    assert "Nordic hiring" in [row["title"] for row in listed if row["conversationId"] == conversation]
    assert not [event for event in recruiter._events if event["type"] == "ConversationUpdated"]


@pytest.mark.parametrize("title", ["", " \n ", "x" * 201, None])
def test_a_title_that_is_none_is_refused(recruiter: Client, conversation: str, title: str | None) -> None:
    fields = {} if title is None else {"title": title}

    with pytest.raises(RequestFailed, match="title") as refused:
        recruiter.request("updateConversation", conversationId=conversation, **fields)

    assert refused.value.code == "INVALID_REQUEST"


def test_a_deleted_conversation_is_listed_no_more_and_cannot_be_used(
    recruiter: Client, connect: Callable[..., Client], conversation: str, rows: Callable[..., Any]
) -> None:
    other = connect()
    list(recruiter.chat(conversation, "Hello"))

    for _ in range(2):
        reply = recruiter.request("deleteConversation", conversationId=conversation)
        assert reply == {"conversationId": conversation, "deleted": True}

    assert told(other, conversation, "DELETED")
    assert conversation not in ids_of(recruiter)
    for action, fields in (("conversationMessages", {}), ("updateConversation", {"title": "Back"})):
        with pytest.raises(RequestFailed) as refused:
            recruiter.request(action, conversationId=conversation, **fields)
        assert refused.value.code == "CONVERSATION_INACTIVE"
    assert list(recruiter.chat(conversation, "Hello?"))[-1]["code"] == "CONVERSATION_INACTIVE"
    assert len(rows("SELECT FROM agent_message WHERE conversation_id = %(id)s", id=conversation)) == 2


@pytest.mark.parametrize("action", ["updateConversation", "deleteConversation"])
@pytest.mark.parametrize("whose", ["nobody's", "somebody else's"])
def test_a_conversation_that_is_not_the_callers_is_neither_renamed_nor_deleted(
    recruiter: Client, job_seeker: Client, conversation: str, action: str, whose: str
) -> None:
    target = NOWHERE if whose == "nobody's" else conversation

    with pytest.raises(RequestFailed) as refused:
        job_seeker.request(action, conversationId=target, title="Mine")

    assert refused.value.code == "CONVERSATION_NOT_FOUND"
    assert conversation in ids_of(recruiter)


def test_a_search_finds_titles_and_messages_and_takes_wildcards_as_they_are(recruiter: Client) -> None:
    word = uuid4().hex
    titled = recruiter.request("createConversation", title=f"100% {word} _done\\")["conversation"]["conversationId"]
    said = recruiter.request("createConversation", title="Other")["conversation"]["conversationId"]
    list(recruiter.chat(said, f"Remember {word.upper()}"))

    assert ids_of(recruiter, query=f" {word} ") == [said, titled]
    assert ids_of(recruiter, query=f"0% {word} _done\\") == [titled]
    assert ids_of(recruiter, query=f"%{word[:5]}%{word[6:]}") == []
    assert {said, titled} <= set(ids_of(recruiter, query="  "))
