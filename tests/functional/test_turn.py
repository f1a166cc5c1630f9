"""A message in, an answer out: what a user of the WebSocket sees."""

import threading
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from local.bedrock.answer import CallTool, Say
from local.client import Client, RequestFailed
from local.stack import Stack

Rows = Callable[..., list[dict[str, Any]]]
TURN = "SELECT * FROM agent_message WHERE id = %(id)s"


def text_of(events: list[dict[str, Any]]) -> str:
    return "".join(event["delta"] for event in events if event["type"] == "ChatChunk")


def types_of(events: list[dict[str, Any]]) -> list[str]:
    return [event["type"] for event in events]


def test_an_answer_streams_and_ends_with_all_of_its_text(recruiter: Client, conversation: str, rows: Rows) -> None:
    events = list(recruiter.chat(conversation, "Hello, what can you do for me?"))

    assert events[0]["type"] == "ChatProcessing"
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["type"] == "ChatComplete"
    assert text_of(events) == events[-1]["content"] != ""
    (row,) = rows(TURN, id=events[-1]["messageId"])
    assert (row["status"], row["content"]) == ("COMPLETED", events[-1]["content"])


def test_reasoning_is_a_stream_and_a_segment_of_its_own(recruiter: Client, conversation: str, rows: Rows) -> None:
    events = list(recruiter.chat(conversation, "Who am I?"))

    reasoning = "".join(event["delta"] for event in events if event["type"] == "ChatReasoningChunk")
    (row,) = rows(TURN, id=events[-1]["messageId"])
    stored = [segment for segment in row["content_segments"] if segment["type"] == "reasoning"]
    assert "".join(segment["text"] for segment in stored) == reasoning != ""
    assert all(segment["signature"] for segment in stored)
    assert reasoning not in row["content"]


def test_tools_run_through_the_state_machine_and_their_change_is_stored(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    title = f"Lead Recruiter {uuid4().hex[:6]}"
    events = list(recruiter.chat(conversation, f"Who am I, and please set my title to {title}"))

    called = {event["toolName"]: event for event in events if event["type"] == "ChatToolCall"}
    results = {event["toolCallId"]: event for event in events if event["type"] == "ChatToolResult"}
    assert set(called) == {"get_me", "update_my_profile"}
    assert called["update_my_profile"]["inputData"] == {"title": title}
    assert all(results[call["toolCallId"]]["success"] for call in called.values())
    assert events[-1]["type"] == "ChatComplete"
    assert rows("SELECT title FROM app_user WHERE title = %(title)s", title=title)
    machines = stack.client("stepfunctions")
    (machine,) = machines.list_state_machines()["stateMachines"]
    executions = machines.list_executions(stateMachineArn=machine["stateMachineArn"])["executions"]
    assert any(execution["name"].startswith(events[-1]["messageId"]) for execution in executions)


def test_tool_rows_are_flat_and_inside_the_answer_and_not_in_the_transcript(
    recruiter: Client, conversation: str, rows: Rows
) -> None:
    events = list(recruiter.chat(conversation, "Who am I?"))

    flat = rows(
        "SELECT * FROM agent_message WHERE parent_message_id = %(id)s AND role = 'TOOL'", id=events[-1]["messageId"]
    )
    shown = recruiter.request("conversationMessages", conversationId=conversation)["messages"]
    (call,) = shown[-1]["toolCalls"]
    assert [row["tool_call_id"] for row in flat] == [call["toolCallId"]]
    assert call["success"] is True
    assert call["output"]["email"] in flat[0]["content"]
    assert [message["role"] for message in shown] == ["USER", "ASSISTANT"]


def test_the_model_is_told_what_was_said_before(stack: Stack, recruiter: Client, conversation: str) -> None:
    list(recruiter.chat(conversation, "Who am I?"))
    list(recruiter.chat(conversation, "And once more, hello"))

    messages = stack.bedrock.requests[-1].body["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user", "assistant", "user"]
    assert messages[0]["content"] == [{"text": "Who am I?"}]
    assert "[Turn]" in messages[-1]["content"][0]["text"]
    assert messages[-1]["content"][1] == {"text": "And once more, hello"}


def test_the_same_message_sent_twice_at_once_is_one_turn(
    recruiter: Client, connect: Callable[..., Client], conversation: str, rows: Rows
) -> None:
    message = {"conversationId": conversation, "messageId": str(uuid4()), "content": "Hello"}
    clients = [recruiter, connect()]
    replies: list[dict[str, Any]] = []
    threads = [threading.Thread(target=lambda c=c: replies.append(c.request("agentChat", **message))) for c in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert len({reply["turnId"] for reply in replies}) == 1
    assert sorted(reply["repeated"] for reply in replies) == [False, True]
    events = list(recruiter.follow(replies[0]["turnId"], 0))
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    stored = rows("SELECT role FROM agent_message WHERE conversation_id = %(id)s", id=conversation)
    assert sorted(row["role"] for row in stored) == ["ASSISTANT", "USER"]


def test_a_second_message_while_a_turn_runs_is_refused_and_can_be_sent_again(
    stack: Stack, recruiter: Client, connect: Callable[..., Client], conversation: str
) -> None:
    stack.bedrock.chunk_delay = 0.05
    stack.bedrock.script.push(Say("one two three four five six seven eight nine ten " * 4))
    first = recruiter.chat(conversation, "Count")
    begun = next(event for event in first if event["type"] == "ChatChunk")
    message_id = str(uuid4())

    other = connect()
    with pytest.raises(RequestFailed) as refused:
        list(other.chat(conversation, "And now?", message_id=message_id))
    rest = list(first)

    assert begun["delta"]
    assert refused.value.code == "TURN_IN_PROGRESS"
    assert refused.value.hint
    assert rest[-1]["type"] == "ChatComplete"
    again = list(other.chat(conversation, "And now?", message_id=message_id))
    assert again[-1]["type"] == "ChatComplete"


def test_a_turn_ends_after_three_rounds_of_tools(stack: Stack, recruiter: Client, conversation: str) -> None:
    for number in range(6):
        stack.bedrock.script.push(Say(f"Round {number}."), CallTool("get_me"))

    events = list(recruiter.chat(conversation, "Go on for ever"))

    assert types_of(events).count("ChatToolResult") == 3
    assert events[-1]["type"] == "ChatComplete"
    assert events[-1]["notice"]
    assert events[-1]["content"] == text_of(events) == "Round 0.\n\nRound 1.\n\nRound 2.\n\nRound 3."
    last = stack.bedrock.requests[-1].body["messages"][-1]["content"]
    assert "No more tools" in last[-1]["text"]


def test_ten_calls_of_a_round_run_and_the_eleventh_is_an_error(
    stack: Stack, recruiter: Client, conversation: str
) -> None:
    stack.bedrock.script.push(*(CallTool("get_me", {"n": n}) for n in range(11)))

    events = list(recruiter.chat(conversation, "Everything at once"))

    results = [event for event in events if event["type"] == "ChatToolResult"]
    assert sorted(event["success"] for event in results) == [False] + [True] * 10
    assert events[-1]["type"] == "ChatComplete"


def test_two_devices_watch_one_turn(
    stack: Stack, recruiter: Client, connect: Callable[..., Client], conversation: str
) -> None:
    stack.bedrock.chunk_delay = 0.03
    stack.bedrock.script.push(Say("A long answer for two readers. " * 8))
    first = recruiter.chat(conversation, "Tell me")
    opening = [next(first) for _ in range(3)]
    other = connect()
    turn_id = opening[0]["turnId"]

    reply = other.request("resumeTurn", turnId=turn_id, afterSeq=0)
    there = list(other.follow(turn_id, 0))
    here = opening + list(first)

    assert reply["status"] == "RUNNING"
    assert there == here


def test_conversations_are_listed_in_pages_newest_first(job_seeker: Client) -> None:
    made = [
        job_seeker.request("createConversation", title=f"number {n}")["conversation"]["conversationId"]
        for n in range(3)
    ]

    first = job_seeker.request("listConversations", limit=2)
    second = job_seeker.request("listConversations", limit=100, before=first["next"])

    ids = [row["conversationId"] for row in first["conversations"] + second["conversations"]]
    assert ids[:3] == made[::-1]
    assert len(ids) == len(set(ids))


def test_who_am_i_names_the_person_and_provisions_their_agents_once(recruiter: Client, job_seeker: Client) -> None:
    me, again = recruiter.request("whoAmI"), recruiter.request("whoAmI")
    seeker = job_seeker.request("whoAmI")

    assert me["user"]["companyName"] == "Northwind Talent"
    assert me["mode"] == "recruiter"
    assert [agent["agentId"] for agent in me["agents"]] == [agent["agentId"] for agent in again["agents"]]
    assert [(agent["type"], agent["isSystem"]) for agent in me["agents"]] == [("RECRUITMENT_ASSISTANT", True)]
    assert [(agent["type"], agent["scope"]) for agent in seeker["agents"]] == [("JOB_MATCHING", "user")]
    assert me["agents"][0]["capabilities"]["rename"] is True


def test_a_job_seeker_is_offered_only_their_tools(stack: Stack, job_seeker: Client) -> None:
    made = job_seeker.request("createConversation")["conversation"]["conversationId"]

    events = list(job_seeker.chat(made, "Who am I?"))

    assert events[-1]["type"] == "ChatComplete"
    assert any(event["type"] == "ChatToolResult" and event["success"] for event in events)
    assert "career assistant" in stack.bedrock.requests[0].body["system"][0]["text"]
