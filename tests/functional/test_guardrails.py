"""A conversation that is too long for its model goes on: outputs are cut, older turns folded, and only then it ends."""

import json
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from local.bedrock.answer import Say, Think
from local.bedrock.script import Fail, StopAt
from local.client import Client
from local.demo import DEMO_RECRUITER
from local.stack import Stack

Rows = Callable[..., list[dict[str, Any]]]
Talk = Callable[..., str]
CONVERSATION = "SELECT * FROM agent_conversation WHERE id = %(id)s"
NEW_AGENT = """
    INSERT INTO agent (company_id, created_by_id, name, max_context_messages, enabled_tools, config)
    VALUES (%(company)s, %(user)s, %(name)s, 100, '{GET_ME}', %(config)s::text::jsonb)
    RETURNING id
"""
TOO_LONG = Fail("ValidationException", 400, "Input is too long for requested model.")
DOWN = Fail("InternalServerException", 500, times=50)
LONG = "Umeå is a town in the north with many birches. "


@pytest.fixture
def talk(recruiter: Client, rows: Rows) -> Talk:
    """Open a conversation with an agent of its own, whose window is so many tokens."""

    def make(tokens: int) -> str:
        owner = {"company": DEMO_RECRUITER.company_id, "user": DEMO_RECRUITER.user_id}
        config = json.dumps({"contextTokens": tokens})
        (agent,) = rows(NEW_AGENT, name=f"Small {uuid4().hex[:8]}", config=config, **owner)
        made = recruiter.request("createConversation", agentId=str(agent["id"]))
        return str(made["conversation"]["conversationId"])

    return make


def statuses(events: list[dict[str, Any]]) -> list[str]:
    return [event["status"] for event in events if event["type"] == "ChatProcessing"]


def shown(stack: Stack) -> str:
    return json.dumps(stack.bedrock.requests[-1].body, ensure_ascii=False, default=str)


def fill(stack: Stack, client: Client, conversation: str, turns: int) -> list[str]:
    """Have some long turns; what they said of their status."""
    seen = []
    for number in range(turns):
        stack.bedrock.script.push(Say(f"Answer {number}. " + LONG * 10))
        events = list(client.chat(conversation, f"Question {number}. " + LONG * 150))
        assert events[-1]["type"] == "ChatComplete", events[-1]
        seen += statuses(events)
    return seen


def test_older_turns_are_folded_and_the_newest_stay_word_for_word(
    stack: Stack, recruiter: Client, talk: Talk, rows: Rows
) -> None:
    conversation = talk(12_000)

    seen = fill(stack, recruiter, conversation, 4)

    assert "compacting" in seen
    sent = shown(stack)
    assert "Question 2. " + LONG * 149 in sent, "the newest turn stays as it was"
    assert "Question 0. " + LONG * 149 not in sent
    assert "Question 0." in sent, "and the oldest is in the summary"
    assert "[Previous conversation summary]" in sent
    (row,) = rows(CONVERSATION, id=conversation)
    assert "Question 0." in row["context_summary"]

    again = list(recruiter.chat(conversation, "Hello"))
    assert "compacting" not in statuses(again), "the fold is stored, so it is not done again"


def test_a_small_model_that_fails_leaves_the_beginnings(
    stack: Stack, recruiter: Client, talk: Talk, rows: Rows
) -> None:
    conversation = talk(12_000)
    stack.bedrock.script.push(DOWN, small=True)

    assert "compacting" in fill(stack, recruiter, conversation, 4)

    (row,) = rows(CONVERSATION, id=conversation)
    assert row["context_summary"].startswith("- User: Question 0. Umeå is a town")


def test_a_request_that_the_model_finds_too_long_is_made_smaller_once(
    stack: Stack, recruiter: Client, conversation: str
) -> None:
    fill(stack, recruiter, conversation, 3)
    assert stack.wait_idle(20)
    stack.bedrock.script.push(TOO_LONG)
    stack.bedrock.script.push(Say("Here I am."))

    events = list(recruiter.chat(conversation, "And now?"))

    assert (events[-1]["type"], events[-1]["content"]) == ("ChatComplete", "Here I am.")
    assert "compacting" in statuses(events)
    assert "Question 0. " + LONG * 149 not in shown(stack)


def test_an_answer_that_ends_at_the_window_before_a_word_is_begun_again(
    stack: Stack, recruiter: Client, conversation: str
) -> None:
    fill(stack, recruiter, conversation, 3)
    stack.bedrock.script.push(Think("Hm."), StopAt("model_context_window_exceeded"))
    stack.bedrock.script.push(Say("Here I am."))

    events = list(recruiter.chat(conversation, "And now?"))

    assert events[-1]["content"] == "Here I am."
    assert statuses(events).index("compacting") < statuses(events).index("retrying")


def test_nothing_more_can_be_left_out(stack: Stack, recruiter: Client, talk: Talk, rows: Rows) -> None:
    conversation = talk(2_000)

    events = list(recruiter.chat(conversation, LONG * 200))

    assert (events[-1]["type"], events[-1]["code"]) == ("ChatError", "CONTEXT_EXHAUSTED")
    assert events[-1]["recoveryHint"]
    assert not stack.bedrock.requests, "the model is not asked in vain"


def test_a_model_that_finds_every_request_too_long_is_asked_twice(
    stack: Stack, recruiter: Client, conversation: str
) -> None:
    fill(stack, recruiter, conversation, 2)
    stack.bedrock.requests.clear()
    stack.bedrock.script.push(TOO_LONG)
    stack.bedrock.script.push(TOO_LONG)

    events = list(recruiter.chat(conversation, "And now?"))

    assert (events[-1]["type"], events[-1]["code"]) == ("ChatError", "CONTEXT_EXHAUSTED")
    assert len(stack.bedrock.requests) == 2
    assert list(recruiter.chat(conversation, "Hello"))[-1]["type"] == "ChatComplete"


def test_long_outputs_of_tools_are_cut_for_the_model_with_a_mark(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    events = list(recruiter.chat(conversation, "Who am I?"))
    longer = """
        UPDATE agent_message SET tool_calls = jsonb_set(tool_calls, '{0,output}', to_jsonb(repeat('birch ', 8000)))
        WHERE id = %(id)s RETURNING id
    """
    rows(longer, id=events[-1]["messageId"])

    assert list(recruiter.chat(conversation, "Hello"))[-1]["type"] == "ChatComplete"

    sent = shown(stack)
    assert "[… 28000 more characters were left out]" in sent
    assert sent.count("birch ") < 4000
