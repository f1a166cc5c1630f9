"""A task in sequential mode: it analyses, works with tools, then answers; and it ends at its cap."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from local.bedrock.answer import CallTool, Say
from local.client import Client
from local.demo import DEMO_RECRUITER
from local.stack import Stack

Rows = Callable[..., list[dict[str, Any]]]
NEW_TASK = """
    INSERT INTO agent_task_config (agent_id, company_id, created_by_id, task_code, mode, max_iterations)
    SELECT agent_id, company_id, user_id, %(code)s, 'sequential', %(most)s FROM agent_conversation WHERE id = %(id)s
    RETURNING id
"""


@pytest.fixture
def task(conversation: str, rows: Rows) -> Callable[..., str]:
    """Give the conversation's agent a sequential task."""

    def make(most: int = 10) -> str:
        code = f"steps-{uuid4().hex[:8]}"
        rows(NEW_TASK, id=conversation, code=code, most=most)
        return code

    return make


def texts(stack: Stack, request: int) -> str:
    messages = stack.bedrock.requests[request].body["messages"]
    return "\n".join(block["text"] for message in messages for block in message["content"] if "text" in block)


def joined(events: list[dict[str, Any]], kind: str) -> str:
    return "".join(event["delta"] for event in events if event["type"] == kind)


def test_it_plans_aside_then_uses_tools_then_answers(
    stack: Stack, recruiter: Client, conversation: str, task: Callable[..., str], rows: Rows
) -> None:
    stack.bedrock.script.push(Say("1. Look who asks."), CallTool("get_me"))
    stack.bedrock.script.push(Say("I look."), CallTool("get_me"))
    stack.bedrock.script.push(Say("You are the recruiter."))

    events = list(recruiter.chat(conversation, "Who am I?", taskCode=task()))

    assert events[-1]["content"] == joined(events, "ChatChunk") == "I look.\n\nYou are the recruiter."
    assert "1. Look who asks." in joined(events, "ChatReasoningChunk")
    assert [event["type"] for event in events].count("ChatToolResult") == 1, "no tool runs for the plan"
    assert "Step: analyse" in texts(stack, 0)
    for later in (1, 2):
        assert "Step: work" in texts(stack, later)
        assert "[Plan]\n1. Look who asks." in texts(stack, later)
    (row,) = rows("SELECT content_segments FROM agent_message WHERE id = %(id)s", id=events[-1]["messageId"])
    plan = next(segment for segment in row["content_segments"] if segment.get("step") == "analyse")
    assert (plan["type"], plan["text"], plan["hop"]) == ("reasoning", "1. Look who asks.", 1)


def test_it_may_take_more_rounds_than_a_chat_and_ends_at_its_cap(
    stack: Stack, recruiter: Client, conversation: str, task: Callable[..., str]
) -> None:
    code = task(most=7)
    stack.bedrock.script.push(Say("A long plan."))
    for number in range(9):
        stack.bedrock.script.push(Say(f"Round {number}."), CallTool("update_my_profile", {"title": f"Title {number}"}))

    events = list(recruiter.chat(conversation, "Go on for ever", taskCode=code))

    assert [event["type"] for event in events].count("ChatToolResult") == 5
    assert events[-1]["type"] == "ChatComplete"
    assert events[-1]["notice"]
    assert len(stack.bedrock.requests) == 7
    assert "No more tools" in texts(stack, -1)


def test_the_shortest_workflow_plans_and_answers(
    stack: Stack, recruiter: Client, conversation: str, task: Callable[..., str]
) -> None:
    stack.bedrock.script.push(Say("I shall just answer."))
    stack.bedrock.script.push(Say("Done."), CallTool("get_me"))

    events = list(recruiter.chat(conversation, "Who am I?", taskCode=task(most=2)))

    assert events[-1]["content"] == "Done."
    assert "No more tools" in texts(stack, -1)
    assert "ChatToolCall" not in {event["type"] for event in events}


def test_the_offline_model_goes_through_the_steps_by_itself(
    recruiter: Client, conversation: str, task: Callable[..., str], rows: Rows
) -> None:
    events = list(recruiter.chat(conversation, "Who am I?", taskCode=task()))

    assert "1. use get me" in joined(events, "ChatReasoningChunk")
    (me,) = rows("SELECT email FROM app_user WHERE id = %(id)s", id=DEMO_RECRUITER.user_id)
    assert me["email"] in events[-1]["content"]
    again = list(recruiter.chat(conversation, "And once more, hello"))
    assert again[-1]["type"] == "ChatComplete", "the next turn of the conversation is an ordinary one"
