"""Models that answer badly: with nothing, with thoughts alone, half a call, or the same call for ever."""

from collections.abc import Callable
from typing import Any

import pytest

from local.bedrock.answer import CallTool, Say, Think
from local.bedrock.script import StopAt, StreamError
from local.client import Client
from local.stack import Stack
from rolecall.turns.ask import ANSWER_NOW
from rolecall.turns.outcome import NOTICES

Rows = Callable[..., list[dict[str, Any]]]


def of_type(events: list[dict[str, Any]], kind: str) -> list[dict[str, Any]]:
    return [event for event in events if event["type"] == kind]


def text_of(events: list[dict[str, Any]]) -> str:
    return "".join(event["delta"] for event in of_type(events, "ChatChunk"))


def retries(events: list[dict[str, Any]]) -> int:
    return sum(event["status"] == "retrying" for event in of_type(events, "ChatProcessing"))


def goes_on(client: Client, conversation: str) -> bool:
    return list(client.chat(conversation, "Hello"))[-1]["type"] == "ChatComplete"


NOTHING = (Say(""),)
THOUGHTS = (Think("I think and think."),)


@pytest.mark.parametrize("answer", [NOTHING, THOUGHTS], ids=["nothing", "only reasoning"])
def test_a_model_without_an_answer_is_asked_once_more(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows, answer: tuple[Any, ...]
) -> None:
    stack.bedrock.script.push(*answer)
    stack.bedrock.script.push(Think("Now I speak."), Say("Here it is."))

    events = list(recruiter.chat(conversation, "Tell me"))

    assert (events[-1]["type"], events[-1]["content"], retries(events)) == ("ChatComplete", "Here it is.", 1)
    assert stack.bedrock.requests[-1].body["messages"][-1]["content"][-1] == {"text": ANSWER_NOW}
    (row,) = rows("SELECT * FROM agent_message WHERE id = %(id)s", id=events[-1]["messageId"])
    assert [segment["text"] for segment in row["content_segments"]] == ["Now I speak.", "Here it is."]


@pytest.mark.parametrize("answer", [NOTHING, THOUGHTS], ids=["nothing", "only reasoning"])
def test_a_model_that_never_answers_ends_in_an_error_and_the_conversation_goes_on(
    stack: Stack, recruiter: Client, conversation: str, answer: tuple[Any, ...]
) -> None:
    for _ in range(2):
        stack.bedrock.script.push(*answer)

    events = list(recruiter.chat(conversation, "Tell me"))

    assert (events[-1]["type"], events[-1]["code"]) == ("ChatError", "CHAT_ERROR")
    assert events[-1]["message"] == "The model gave no answer."
    assert "other words" in events[-1]["recoveryHint"]
    assert len(stack.bedrock.requests) == 2
    assert goes_on(recruiter, conversation)


def test_a_model_that_is_silent_after_its_tools_keeps_what_it_said_before(
    stack: Stack, recruiter: Client, conversation: str
) -> None:
    stack.bedrock.script.push(Say("I look."), CallTool("get_me"))
    for _ in range(2):
        stack.bedrock.script.push(*NOTHING)

    events = list(recruiter.chat(conversation, "Who am I?"))

    assert (events[-1]["type"], events[-1]["content"]) == ("ChatComplete", "I look.")
    assert events[-1]["notice"] == NOTICES["nothing_added"]


def test_a_call_cut_at_the_limit_with_nothing_said_is_asked_for_once_more_with_more_room(
    stack: Stack, recruiter: Client, conversation: str
) -> None:
    cut = StopAt("max_tokens", inside_tool=True)
    stack.bedrock.script.push(CallTool("update_my_profile", {"title": "Cut"}), cut)
    stack.bedrock.script.push(CallTool("get_me"))

    events = list(recruiter.chat(conversation, "Change it"))

    first, second = (request.body["inferenceConfig"]["maxTokens"] for request in list(stack.bedrock.requests)[:2])
    assert second > first
    assert [event["toolName"] for event in of_type(events, "ChatToolCall")] == ["get_me"]
    assert (events[-1]["type"], retries(events)) == ("ChatComplete", 1)


def test_a_call_that_is_cut_again_ends_the_turn_and_runs_nothing(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    for _ in range(2):
        stack.bedrock.script.push(CallTool("get_me", raw='{"a": 1}'), StopAt("max_tokens", inside_tool=True))

    events = list(recruiter.chat(conversation, "Who am I?"))

    assert (events[-1]["type"], events[-1]["message"]) == ("ChatError", NOTICES["max_tokens"])
    assert len(stack.bedrock.requests) == 2
    assert rows("SELECT FROM agent_tool_execution WHERE turn_id = %(id)s", id=events[-1]["turnId"]) == []
    assert goes_on(recruiter, conversation)


REASONS = ["guardrail_intervened", "content_filtered", "malformed_tool_use", "malformed_model_output", "max_tokens"]


@pytest.mark.parametrize("reason", REASONS)
def test_every_stop_with_words_is_an_answer_with_its_notice(
    stack: Stack, recruiter: Client, conversation: str, reason: str
) -> None:
    stack.bedrock.script.push(Say("One two three four five six."), CallTool("get_me"), StopAt(reason, after_chunks=3))

    events = list(recruiter.chat(conversation, "Count"))

    assert (events[-1]["type"], events[-1]["stopReason"]) == ("ChatComplete", reason)
    assert events[-1]["notice"] == NOTICES[reason]
    assert events[-1]["content"] == text_of(events) != ""
    assert not of_type(events, "ChatToolCall")


def test_a_full_context_is_said_so_and_what_was_said_stays(stack: Stack, recruiter: Client, conversation: str) -> None:
    stack.bedrock.script.push(Say("One two three four."), StopAt("model_context_window_exceeded", after_chunks=2))

    events = list(recruiter.chat(conversation, "Count"))

    assert (events[-1]["type"], events[-1]["code"]) == ("ChatError", "CONTEXT_EXHAUSTED")
    assert events[-1]["content"] == text_of(events) != ""


def test_a_stream_that_breaks_after_thoughts_alone_starts_again_and_says_so(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    stack.bedrock.script.push(
        Think("A long first thought of many words."), StreamError(after_chunks=3, code="throttlingException")
    )
    stack.bedrock.script.push(Think("A second thought."), Say("Done."))

    events = list(recruiter.chat(conversation, "Tell me"))

    assert (events[-1]["type"], events[-1]["content"], retries(events)) == ("ChatComplete", "Done.", 1)
    at = next(i for i, event in enumerate(events) if event.get("status") == "retrying")
    assert "".join(event["delta"] for event in of_type(events[at:], "ChatReasoningChunk")) == "A second thought."
    assert of_type(events[at:], "ChatReasoningChunk")[0]["chunkIndex"] == 0
    (row,) = rows("SELECT * FROM agent_message WHERE id = %(id)s", id=events[-1]["messageId"])
    assert [segment["text"] for segment in row["content_segments"]] == ["A second thought.", "Done."]


def test_a_stream_throttled_after_text_is_not_asked_for_again(
    stack: Stack, recruiter: Client, conversation: str
) -> None:
    stack.bedrock.script.push(
        Say("Some words that were seen already."), StreamError(after_chunks=3, code="throttlingException")
    )

    events = list(recruiter.chat(conversation, "Tell me"))

    assert (events[-1]["type"], events[-1]["content"]) == ("ChatError", text_of(events))
    assert "kept" in events[-1]["recoveryHint"]
    assert len(stack.bedrock.requests) == 1


def test_the_same_call_again_and_again_runs_once_and_the_turn_ends(
    stack: Stack, recruiter: Client, conversation: str
) -> None:
    for _ in range(6):
        stack.bedrock.script.push(CallTool("get_me"))

    events = list(recruiter.chat(conversation, "Who am I?"))

    assert [event["success"] for event in of_type(events, "ChatToolResult")] == [True, False, False]
    assert "this very call" in of_type(events, "ChatToolResult")[1]["output"]
    assert (events[-1]["type"], events[-1]["message"]) == ("ChatError", NOTICES["tool_use"])
    assert goes_on(recruiter, conversation)


def test_a_reading_after_a_change_is_no_repetition(stack: Stack, recruiter: Client, conversation: str) -> None:
    stack.bedrock.script.push(CallTool("get_me"))
    stack.bedrock.script.push(CallTool("update_my_profile", {"title": "Head of Reading"}))
    stack.bedrock.script.push(CallTool("get_me"))
    stack.bedrock.script.push(Say("It is changed."))

    events = list(recruiter.chat(conversation, "Change it and look"))

    results = of_type(events, "ChatToolResult")
    assert [event["success"] for event in results] == [True, True, True]
    assert results[-1]["output"]["title"] == "Head of Reading"
