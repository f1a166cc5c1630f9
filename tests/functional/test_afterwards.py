"""After a turn: a title and a summary by the small model, never in the answer's way."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import uuid4

import pytest

from local.bedrock.answer import Say
from local.bedrock.script import Delay, Fail
from local.client import Client
from local.demo import DEMO_RECRUITER
from local.stack import Stack
from tests.fakes.waiting import eventually

Rows = Callable[..., list[dict[str, Any]]]
CONVERSATION = "SELECT * FROM agent_conversation WHERE id = %(id)s"
NEW_AGENT = """
    INSERT INTO agent (company_id, created_by_id, name, max_context_messages, enabled_tools, config)
    VALUES (%(company)s, %(user)s, %(name)s, %(window)s, '{GET_ME}', %(config)s::text::jsonb)
    RETURNING id
"""
DOWN = {"code": "InternalServerException", "status": 500, "times": 50}


@pytest.fixture
def talk(recruiter: Client, rows: Rows) -> Callable[..., str]:
    """Open a conversation with an agent of its own, that keeps few messages in its context."""

    def make(window: int = 4, config: str = "{}") -> str:
        name = f"Talker {uuid4().hex[:8]}"
        owner = {"company": DEMO_RECRUITER.company_id, "user": DEMO_RECRUITER.user_id}
        (agent,) = rows(NEW_AGENT, name=name, window=window, config=config, **owner)
        made = recruiter.request("createConversation", agentId=str(agent["id"]))
        return str(made["conversation"]["conversationId"])

    return make


def say(client: Client, conversation: str, text: str) -> list[dict[str, Any]]:
    events = list(client.chat(conversation, text))
    assert events[-1]["type"] == "ChatComplete", events[-1]
    return events


def summarizes(request: dict[str, Any]) -> bool:
    return "Summarize" in request["system"][0]["text"]


def names(request: dict[str, Any]) -> bool:
    return not summarizes(request)


def title_of(client: Client, conversation: str) -> str | None:
    listed = client.request("listConversations")["conversations"]
    return next(row["title"] for row in listed if row["conversationId"] == conversation)


def told(client: Client, conversation: str, title: str) -> bool:
    frame = client.next_frame("ConversationUpdated", 0.2)
    return bool(frame and frame["conversationId"] == conversation and frame.get("title") == title)


def test_the_small_model_names_a_conversation_and_every_socket_is_told(
    stack: Stack, recruiter: Client, connect: Callable[..., Client], conversation: str, rows: Rows
) -> None:
    other = connect()
    stack.bedrock.script.push(Say('"Title: Go developers\nin **Malmö**"'), small=True)

    say(recruiter, conversation, "Hello! I look for people who write Go, near Malmö")

    eventually(lambda: told(other, conversation, "Go developers"))
    eventually(lambda: told(recruiter, conversation, "Go developers"))
    (row,) = rows(CONVERSATION, id=conversation)
    assert (row["title"], row["title_source"], row["titled_count"]) == ("Go developers", "model", 2)
    asked = stack.bedrock.side_requests[-1]
    assert "I look for people" in asked.body["messages"][0]["content"][0]["text"]


def test_the_answer_waits_for_no_slow_small_model(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    stack.bedrock.script.push(Delay(2), Say("A later title"), small=True)

    say(recruiter, conversation, "Good morning to you")

    assert title_of(recruiter, conversation) == "Good morning to you"
    eventually(lambda: title_of(recruiter, conversation) == "A later title")


def test_a_small_model_that_fails_disturbs_nothing(
    stack: Stack, recruiter: Client, talk: Callable[..., str], rows: Rows
) -> None:
    conversation = talk(window=4)
    stack.bedrock.script.push(Fail(**DOWN), small=True)
    for number in range(4):
        say(recruiter, conversation, f"Hello number {number}")
    assert stack.wait_idle(20)

    (row,) = rows(CONVERSATION, id=conversation)
    assert (row["title"], row["context_summary"]) == ("Hello number 0", None)
    shown = stack.bedrock.requests[-1].body["messages"]
    assert shown[0]["content"][0]["text"] == "Hello number 1", "the newest messages, though there is no summary"


def test_a_title_given_by_hand_stays(stack: Stack, recruiter: Client, conversation: str, rows: Rows) -> None:
    stack.bedrock.script.push(Delay(1), Say("The model's own"), small=True)
    say(recruiter, conversation, "Hello there")
    recruiter.request("updateConversation", conversationId=conversation, title="Mine")
    assert stack.wait_idle(20)
    asked = len(stack.bedrock.side_requests)

    for number in range(3):
        say(recruiter, conversation, f"And {number}")
    assert stack.wait_idle(20)

    assert title_of(recruiter, conversation) == "Mine"
    assert len(stack.bedrock.side_requests) == asked, "nobody asks for a title that is not wanted"


def test_a_title_is_made_anew_after_five_more_messages(stack: Stack, recruiter: Client, conversation: str) -> None:
    for number in range(4):
        stack.bedrock.script.push(Say(f"Title {number}"), when=names, small=True)
    for number in range(4):
        say(recruiter, conversation, f"Hello {number}")
        assert stack.wait_idle(20)

    assert title_of(recruiter, conversation) == "Title 1", "after 2 messages, then after 8"


def test_the_older_part_is_summarized_and_told_before_the_next_message(
    stack: Stack, recruiter: Client, talk: Callable[..., str], rows: Rows
) -> None:
    conversation = talk(window=4)
    for text in ("My dog is called Bosse", "Who am I?", "I hire for Umeå"):
        say(recruiter, conversation, text)
        assert stack.wait_idle(20)

    (row,) = rows(CONVERSATION, id=conversation)
    assert "My dog is called Bosse" in row["context_summary"]
    kept = rows(
        "SELECT role, content FROM agent_message WHERE conversation_id = %(id)s AND position > %(until)s"
        " AND role IN ('USER', 'ASSISTANT') ORDER BY position",
        id=conversation,
        until=row["summarized_until"],
    )
    assert [message["role"] for message in kept][:1] == ["USER"]
    assert len(kept) <= 4

    say(recruiter, conversation, "And what now?")
    words = [block for message in stack.bedrock.requests[-1].body["messages"] for block in message["content"]]
    texts = [block["text"] for block in words if "text" in block]
    preamble = next(text for text in texts if text.startswith("[Turn]"))
    assert "[Previous conversation summary]" in preamble
    assert "My dog is called Bosse" in preamble
    assert not any(text == "My dog is called Bosse" for text in texts), "what is summarized is not sent again"
    assert stack.wait_idle(20)
    (rolled,) = rows(CONVERSATION, id=conversation)
    assert rolled["summarized_until"] >= row["summarized_until"]
    assert "My dog is called Bosse" in rolled["context_summary"], "the summary is rolled forward"


def test_what_only_a_tool_said_is_in_the_summary(
    stack: Stack, recruiter: Client, talk: Callable[..., str], rows: Rows
) -> None:
    conversation = talk(window=2)
    say(recruiter, conversation, "Who am I?")
    say(recruiter, conversation, "Thank you")
    assert stack.wait_idle(20)

    asked = [each.body for each in stack.bedrock.side_requests if summarizes(each.body)]
    (me,) = rows("SELECT email FROM app_user WHERE id = %(id)s", id=DEMO_RECRUITER.user_id)
    assert f'"email": "{me["email"]}"' in asked[-1]["messages"][0]["content"][0]["text"]
    (row,) = rows(CONVERSATION, id=conversation)
    assert "Result of get_me" in row["context_summary"]


def test_a_summary_forgets_what_its_person_took_back(
    stack: Stack, recruiter: Client, talk: Callable[..., str], rows: Rows
) -> None:
    conversation = talk(window=4)
    first = str(uuid4())
    said = list(recruiter.chat(conversation, "My dog is called Bosse", message_id=first))
    assert said[-1]["type"] == "ChatComplete"
    for text in ("Hello", "Hello again"):
        say(recruiter, conversation, text)
        assert stack.wait_idle(20)
    (row,) = rows(CONVERSATION, id=conversation)
    assert "Bosse" in row["context_summary"]

    events = list(recruiter.chat(conversation, "My cat is called Maja", replaces=first))

    assert events[-1]["type"] == "ChatComplete"
    assert "Bosse" not in json.dumps(stack.bedrock.requests[-1].body)
    assert stack.wait_idle(20)
    (row,) = rows(CONVERSATION, id=conversation)
    assert (row["context_summary"], row["summarized_until"]) == (None, None)
    assert "Maja" in row["title"], "the title follows"


def test_two_runs_at_once_store_one_summary_and_one_title(
    stack: Stack, recruiter: Client, talk: Callable[..., str], rows: Rows
) -> None:
    conversation = talk(window=2)
    stack.bedrock.script.push(Fail(**DOWN), small=True)
    for number in range(3):
        events = say(recruiter, conversation, f"Hello {number}")
    assert stack.wait_idle(20)
    stack.bedrock.script.clear()
    for number in range(2):
        stack.bedrock.script.push(Delay(0.5), Say(f"Title {number}"), when=names, small=True)
        stack.bedrock.script.push(Delay(0.5), Say(f"- Summary {number}"), when=summarizes, small=True)

    turn = {
        "turnId": events[-1]["messageId"],
        "conversationId": conversation,
        "userId": str(DEMO_RECRUITER.user_id),
        "companyId": str(DEMO_RECRUITER.company_id),
    }
    failed = {"messageId": "m1", "body": json.dumps({"requestPayload": {"turn": turn}})}
    runs = ({"turn": turn}, {"Records": [failed]})
    with ThreadPoolExecutor(2) as both:
        outcomes = list(both.map(lambda run: stack.invoke("afterwards", run), runs))

    assert [outcome.error for outcome in outcomes] == [None, None]
    assert json.loads(outcomes[1].payload) == {"batchItemFailures": []}
    (row,) = rows(CONVERSATION, id=conversation)
    assert row["context_summary"] in ("- Summary 0", "- Summary 1")
    assert row["title"] in ("Title 0", "Title 1")
    noted = rows(
        "SELECT details FROM agent_activity WHERE conversation_id = %(id)s AND activity_type = 'CONTEXT_SUMMARIZED'",
        id=conversation,
    )
    assert [note["details"]["messages"] for note in noted] == [4]
