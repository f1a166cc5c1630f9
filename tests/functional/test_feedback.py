"""What people say of answers, and what happened in a turn."""

from typing import Any
from uuid import uuid4

import pytest

from local.bedrock.script import CallTool, Say
from local.client import Client, RequestFailed
from local.stack import Stack
from tests.functional.conftest import Rows


def answered(client: Client, conversation: str) -> str:
    return str(list(client.chat(conversation, "Hello"))[-1]["turnId"])


def test_feedback_is_kept_replaced_and_taken_back(recruiter: Client, conversation: str, rows: Rows) -> None:
    turn = answered(recruiter, conversation)
    give = {"conversationId": conversation, "messageId": turn}

    recruiter.request("giveFeedback", **give, rating=2, comment="  Too long. ")
    recruiter.request("giveFeedback", **give, rating=4)
    shown = recruiter.request("conversationMessages", conversationId=conversation)["messages"]
    assert shown[1]["feedback"] == {"rating": 4, "comment": None}
    assert recruiter.request("giveFeedback", **give)["feedback"] is None
    assert recruiter.request("conversationMessages", conversationId=conversation)["messages"][1]["feedback"] is None

    activity = "SELECT FROM agent_activity WHERE activity_type = 'FEEDBACK_RECEIVED' AND conversation_id = %(id)s"
    assert len(rows(activity, id=conversation)) == 3


def test_a_conversation_is_rated_as_a_whole(recruiter: Client, conversation: str) -> None:
    recruiter.request("giveFeedback", conversationId=conversation, rating=5, comment="Great.")
    listed = recruiter.request("listConversations")["conversations"]
    [row] = [row for row in listed if row["conversationId"] == conversation]
    assert row["feedback"] == {"rating": 5, "comment": "Great."}


@pytest.mark.parametrize("fields", [{"rating": 0}, {"rating": 6}, {"rating": 5, "comment": "x" * 5001}])
def test_a_rating_that_is_none_is_refused(recruiter: Client, conversation: str, fields: dict[str, Any]) -> None:
    with pytest.raises(RequestFailed) as refused:
        recruiter.request("giveFeedback", conversationId=conversation, **fields)
    assert refused.value.code == "INVALID_REQUEST"


def test_only_ones_own_answers_are_rated(recruiter: Client, job_seeker: Client, conversation: str) -> None:
    turn = answered(recruiter, conversation)
    for client, message in ((job_seeker, turn), (recruiter, str(uuid4()))):
        with pytest.raises(RequestFailed):
            client.request("giveFeedback", conversationId=conversation, messageId=message, rating=1)
    with pytest.raises(RequestFailed) as refused:
        job_seeker.request("turnTimeline", turnId=turn)
    assert refused.value.code == "CONVERSATION_NOT_FOUND"


def test_the_timeline_tells_a_turn_in_order(stack: Stack, recruiter: Client, conversation: str) -> None:
    model = stack.bedrock.script
    model.push(CallTool("get_me", {}), when=lambda request: "messages" in request)
    model.push(Say("You are Ada."), when=lambda request: "messages" in request)
    turn = answered(recruiter, conversation)

    entries = recruiter.request("turnTimeline", turnId=turn)["entries"]

    steps = [(entry["kind"], entry.get("toolName") or entry.get("status") or entry.get("text")) for entry in entries]
    assert [step for step in steps if step[0] != "thought"] == [
        ("status", "STARTED"),
        ("tool_call", "get_me"),
        ("tool_result", "get_me"),
        ("text", "You are Ada."),
        ("status", "COMPLETED"),
    ]
    times = [entry["at"] for entry in entries if "at" in entry]
    assert times == sorted(times)
