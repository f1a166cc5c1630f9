"""A message edited and sent again, an answer asked for anew: what was there gives way, and stays on record."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from local.bedrock.script import Say
from local.client import Client
from local.stack import Stack
from tests.functional.conftest import Rows

Scripted = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def asked(stack: Stack, recruiter: Client) -> Scripted:
    """Ask something that is answered by the given words."""

    def ask(conversation: str, content: str, answer: str, **fields: Any) -> list[dict[str, Any]]:
        stack.bedrock.script.push(Say(answer), when=lambda request: "messages" in request)
        return list(recruiter.chat(conversation, content, **fields))

    return ask


def shown(client: Client, conversation: str) -> list[str]:
    page = client.request("conversationMessages", conversationId=conversation)["messages"]
    return [row["content"] for row in page]


def user_messages(client: Client, conversation: str) -> list[str]:
    page = client.request("conversationMessages", conversationId=conversation)["messages"]
    return [row["messageId"] for row in page if row["role"] == "USER"]


def sent_texts(stack: Stack) -> list[str]:
    """Every text of the last request's messages."""
    messages = [r.body["messages"] for r in stack.bedrock.requests if "messages" in r.body][-1]
    return [block["text"] for message in messages for block in message["content"] if "text" in block]


def test_an_edited_message_takes_the_place_of_the_old_one_and_all_after_it(
    stack: Stack, recruiter: Client, conversation: str, asked: Scripted, rows: Rows
) -> None:
    asked(conversation, "First question", "First answer")
    asked(conversation, "Second qestion", "Second answer")
    asked(conversation, "Third question", "Third answer")
    second = user_messages(recruiter, conversation)[1]

    asked(conversation, "Second question", "Better answer", replaces=second)

    assert shown(recruiter, conversation) == ["First question", "First answer", "Second question", "Better answer"]
    told = "\n".join(sent_texts(stack))
    assert "First answer" in told
    assert not [text for text in ("Second qestion", "Second answer", "Third") if text in told]
    kept = rows(
        "SELECT FROM agent_message WHERE conversation_id = %(id)s AND superseded_by IS NOT NULL", id=conversation
    )
    assert len(kept) == 4
    [listed] = rows("SELECT message_count FROM agent_conversation WHERE id = %(id)s", id=conversation)
    assert listed["message_count"] == 4


def test_an_answer_is_asked_for_again(recruiter: Client, conversation: str, asked: Scripted) -> None:
    asked(conversation, "Tell me", "Dull answer")
    asked(conversation, "Tell me", "Bright answer", replaces=user_messages(recruiter, conversation)[0])
    assert shown(recruiter, conversation) == ["Tell me", "Bright answer"]


@pytest.mark.parametrize("nowhere", ["unknown", "replaced before", "an answer", "of another conversation"])
def test_what_is_not_there_to_replace_is_refused_and_nothing_changes(
    recruiter: Client, conversation: str, asked: Scripted, nowhere: str
) -> None:
    turn = asked(conversation, "One", "Uno")[-1]["turnId"]
    [first] = user_messages(recruiter, conversation)
    asked(conversation, "One, please", "Uno, prego", replaces=first)
    other = recruiter.request("createConversation")["conversation"]["conversationId"]
    asked(other, "Elsewhere", "Altrove")
    replaces = {
        "unknown": str(uuid4()),
        "replaced before": first,
        "an answer": turn,
        "of another conversation": user_messages(recruiter, other)[0],
    }[nowhere]

    last = list(recruiter.chat(conversation, "Two", replaces=replaces))[-1]

    assert (last["type"], last["code"]) == ("ChatError", "INVALID_REQUEST")
    assert "Load the conversation again" in last["recoveryHint"]
    assert shown(recruiter, conversation) == ["One, please", "Uno, prego"]


def test_a_summary_that_covers_what_was_replaced_goes_with_it(
    stack: Stack, recruiter: Client, conversation: str, asked: Scripted, rows: Rows
) -> None:
    asked(conversation, "First question", "First answer")
    asked(conversation, "Second question", "Second answer")
    rows(
        "UPDATE agent_conversation SET context_summary = 'They spoke of herring.', summarized_until = ("
        " SELECT max(position) FROM agent_message WHERE conversation_id = %(id)s)"
        " WHERE id = %(id)s RETURNING id",
        id=conversation,
    )
    _, second = user_messages(recruiter, conversation)

    asked(conversation, "Other question", "Other answer", replaces=second)

    assert "herring" not in "\n".join(sent_texts(stack))
    assert rows("SELECT context_summary FROM agent_conversation WHERE id = %(id)s", id=conversation) == [
        {"context_summary": None}
    ]
