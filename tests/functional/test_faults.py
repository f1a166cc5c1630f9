"""Sockets, models, tools, workers and the database fail; the turn ends once, and nothing stored is lost."""

import threading
import time
from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest

from local.bedrock.answer import CallTool, Say
from local.bedrock.script import Delay, Hang, StopAt, StreamError, Throttle, TruncateStream
from local.client import Client, RequestFailed
from local.stack import Stack
from tests.fakes.waiting import eventually

Rows = Callable[..., list[dict[str, Any]]]
LONG = "The quick brown fox jumps over the lazy dog. " * 12


def turn_row(rows: Rows, events: list[dict[str, Any]]) -> dict[str, Any]:
    (row,) = rows("SELECT * FROM agent_message WHERE id = %(id)s", id=events[-1]["turnId"])
    return row


def text_of(events: list[dict[str, Any]]) -> str:
    return "".join(event["delta"] for event in events if event["type"] == "ChatChunk")


def test_a_client_that_dies_in_the_middle_resumes_to_the_whole_answer_and_nothing_twice(
    stack: Stack, recruiter: Client, connect: Callable[..., Client], conversation: str
) -> None:
    stack.bedrock.chunk_delay = 0.02
    stack.bedrock.script.push(Say(LONG))
    stream = recruiter.chat(conversation, "Tell me")
    seen = [next(stream) for _ in range(4)]
    recruiter.close()

    rest = list(connect().resume(seen[-1]["turnId"], seen[-1]["seq"]))

    events = seen + rest
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert text_of(events) == events[-1]["content"] == LONG


def test_a_turn_whose_socket_is_gone_is_finished_and_stored(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    stack.bedrock.chunk_delay = 0.02
    stack.bedrock.script.push(Say(LONG))
    stream = recruiter.chat(conversation, "Tell me")
    turn_id = next(stream)["turnId"]
    recruiter.close()

    row = eventually(
        lambda: rows("SELECT * FROM agent_message WHERE id = %(id)s AND status <> 'STREAMING'", id=turn_id)
    )

    assert (row[0]["status"], row[0]["content"]) == ("COMPLETED", LONG)


def test_a_finished_turn_is_replayed_whole(
    recruiter: Client, connect: Callable[..., Client], conversation: str
) -> None:
    events = list(recruiter.chat(conversation, "Who am I?"))

    replayed = list(connect().resume(events[0]["turnId"], 0))

    assert replayed == events


def test_a_model_that_is_busy_for_a_moment_is_asked_again(stack: Stack, recruiter: Client, conversation: str) -> None:
    stack.bedrock.script.push(Throttle(times=2))

    events = list(recruiter.chat(conversation, "Hello"))

    assert events[-1]["type"] == "ChatComplete"


def test_a_model_that_stays_busy_ends_the_turn_with_a_reason(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    stack.bedrock.script.push(Throttle(times=10))

    events = list(recruiter.chat(conversation, "Hello"))

    assert (events[-1]["type"], events[-1]["code"]) == ("ChatError", "CHAT_ERROR")
    assert "busy" in events[-1]["message"]
    assert turn_row(rows, events)["status"] == "FAILED"


@pytest.mark.parametrize(
    "fault", [StreamError(after_chunks=5), TruncateStream(after_chunks=5), TruncateStream(5, mid_frame=True)]
)
def test_a_model_that_breaks_off_keeps_what_it_said(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows, fault: Any
) -> None:
    stack.bedrock.script.push(Say(LONG), fault)

    events = list(recruiter.chat(conversation, "Tell me"))

    row = turn_row(rows, events)
    assert events[-1]["type"] == "ChatError"
    assert events[-1]["content"] == text_of(events) == row["content"] != ""
    assert LONG.startswith(row["content"])
    assert row["status"] == "FAILED"
    again = list(recruiter.chat(conversation, "Hello again"))
    assert again[-1]["type"] == "ChatComplete"


def test_a_call_that_is_cut_at_the_length_limit_does_not_run(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    cut = StopAt("max_tokens", inside_tool=True)
    stack.bedrock.script.push(Say("I change it."), CallTool("update_my_profile", {"title": "Cut"}), cut)

    events = list(recruiter.chat(conversation, "Change it"))

    assert events[-1]["type"] == "ChatComplete"
    assert events[-1]["stopReason"] == "max_tokens"
    assert "cut" in events[-1]["notice"]
    assert not [event for event in events if event["type"] == "ChatToolCall"]
    assert rows("SELECT FROM agent_tool_execution WHERE turn_id = %(id)s", id=events[-1]["turnId"]) == []
    assert list(recruiter.chat(conversation, "Hello"))[-1]["type"] == "ChatComplete"


@pytest.mark.parametrize("name", ["browser.tabs.open", "$READFILE", "no_such_tool", "x" * 64])
def test_a_tool_that_does_not_exist_is_an_error_the_model_reads(
    stack: Stack, recruiter: Client, conversation: str, name: str
) -> None:
    stack.bedrock.script.push(CallTool(name, {}))

    events = list(recruiter.chat(conversation, "Open it"))

    (result,) = [event for event in events if event["type"] == "ChatToolResult"]
    assert result["success"] is False
    assert "get_me" in result["output"]
    assert events[-1]["type"] == "ChatComplete"
    assert list(recruiter.chat(conversation, "Hello"))[-1]["type"] == "ChatComplete"


@pytest.mark.parametrize("raw", ["[1]", '{"title": ', "nonsense"])
def test_arguments_that_are_no_object_are_an_error_the_model_reads(
    stack: Stack, recruiter: Client, conversation: str, raw: str
) -> None:
    stack.bedrock.script.push(CallTool("update_my_profile", raw=raw))

    events = list(recruiter.chat(conversation, "Change it"))

    (result,) = [event for event in events if event["type"] == "ChatToolResult"]
    assert result["success"] is False
    assert events[-1]["type"] == "ChatComplete"


@pytest.mark.parametrize("arguments", [{}, {"email": "nonsense"}, {"is_super_admin": True}, {"title": ""}])
def test_a_profile_change_outside_the_allowlist_changes_nothing(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows, arguments: dict[str, Any]
) -> None:
    before = rows("SELECT * FROM app_user ORDER BY id")
    stack.bedrock.script.push(CallTool("update_my_profile", arguments))

    events = list(recruiter.chat(conversation, "Change it"))

    (result,) = [event for event in events if event["type"] == "ChatToolResult"]
    assert result["success"] is False
    assert rows("SELECT * FROM app_user ORDER BY id") == before
    assert events[-1]["type"] == "ChatComplete"


def test_nul_and_half_characters_from_the_model_are_stored_without(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    stack.bedrock.script.push(CallTool("update_my_profile", raw='{"title": "A\\u0000B \\ud83d"}'))

    events = list(recruiter.chat(conversation, "Change it"))

    assert events[-1]["type"] == "ChatComplete"
    assert rows("SELECT input FROM agent_tool_execution WHERE turn_id = %(id)s", id=events[-1]["turnId"])


@pytest.mark.parametrize("steps", [(Say(LONG), Hang(after_chunks=4)), (Delay(9), Say("late"))], ids=["silent", "slow"])
def test_a_cancel_ends_the_turn_long_before_the_model_and_keeps_the_text(
    stack: Stack, recruiter: Client, connect: Callable[..., Client], conversation: str, rows: Rows, steps: Any
) -> None:
    stack.bedrock.chunk_delay = 0.02
    stack.bedrock.script.push(*steps)
    stream = recruiter.chat(conversation, "Tell me")
    first = next(stream)
    time.sleep(1)

    began = time.monotonic()
    reply = connect().request("cancelTurn", turnId=first["turnId"])
    events = [first, *stream]

    assert time.monotonic() - began < 8
    assert reply["cancelled"] is True
    assert events[-1]["code"] == "CANCELLED"
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    row = turn_row(rows, events)
    assert (row["status"], row["error_code"], row["content"]) == ("FAILED", "CANCELLED", events[-1]["content"])
    assert row["content"] == text_of(events)
    assert connect().request("cancelTurn", turnId=first["turnId"])["cancelled"] is False
    assert list(connect().chat(conversation, "Hello"))[-1]["type"] == "ChatComplete"


def test_a_worker_killed_in_the_middle_ends_the_turn_and_frees_the_conversation(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    stack.bedrock.chunk_delay = 0.05
    stack.bedrock.script.push(Say(LONG))
    stream = recruiter.chat(conversation, "Tell me")
    seen = [next(stream) for _ in range(6)]

    assert stack.kill_worker("turn")
    events = seen + list(stream)

    assert events[-1]["type"] == "ChatError"
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert turn_row(rows, events)["status"] == "FAILED"
    assert LONG.startswith(turn_row(rows, events)["content"])
    stack.bedrock.chunk_delay = 0
    assert list(recruiter.chat(conversation, "Hello"))[-1]["type"] == "ChatComplete"


def test_a_database_restarted_under_warm_functions_is_reached_again(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    list(recruiter.chat(conversation, "Hello"))
    rows("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL")

    events = list(recruiter.chat(conversation, "Who am I?"))

    assert events[-1]["type"] == "ChatComplete"


def test_a_request_whose_function_dies_is_answered_with_an_error(stack: Stack, recruiter: Client) -> None:
    recruiter.request("listConversations")
    with stack.database_asleep(seconds=3):
        killer = threading.Timer(1.0, stack.kill_worker, args=("actions",))
        killer.start()
        with pytest.raises(RequestFailed) as failed:
            recruiter.request("whoAmI")
        killer.join()

    assert failed.value.hint
    assert recruiter.request("whoAmI")["user"]


def test_a_database_that_sleeps_is_waited_for_while_it_wakes(
    stack: Stack, recruiter: Client, conversation: str
) -> None:
    with stack.database_asleep(seconds=4):
        events = list(recruiter.chat(conversation, "Who am I?"))

    assert events[0]["type"] == "ChatProcessing"
    assert events[-1]["type"] == "ChatComplete"


def test_parallel_conversations_do_not_mix(stack: Stack, connect: Callable[..., Client]) -> None:
    answers: dict[int, str] = {}

    def converse(number: int) -> None:
        client = connect()
        made = client.request("createConversation")["conversation"]["conversationId"]
        answers[number] = list(client.chat(made, f"What did I just say? It was {number}."))[-1]["type"]

    threads = [threading.Thread(target=converse, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert answers == dict.fromkeys(range(6), "ChatComplete")


def test_an_error_reply_names_what_to_do(recruiter: Client) -> None:
    with pytest.raises(RequestFailed) as refused:
        recruiter.request("listConversations", before="nonsense")

    assert refused.value.code == "INVALID_REQUEST"
    assert "before" in str(refused.value)
    assert refused.value.hint


def test_a_resume_before_the_first_word_gives_no_number_away(
    stack: Stack, recruiter: Client, connect: Callable[..., Client], conversation: str
) -> None:
    stack.bedrock.script.push(Delay(4), Say(LONG))
    sent = recruiter.request("agentChat", conversationId=conversation, content="Tell me")

    other = connect()
    reply = other.request("resumeTurn", turnId=sent["turnId"], afterSeq=0)
    events = list(other.resume(sent["turnId"]))

    assert reply["status"] in {"PENDING", "RUNNING"}
    assert not [event for event in events if event["type"] == "ChatSkipped"]
    assert text_of(events) == events[-1]["content"] == LONG


def test_a_cancel_while_a_tool_runs_ends_the_turn_at_once_and_takes_its_change_back(
    stack: Stack, recruiter: Client, connect: Callable[..., Client], conversation: str, rows: Rows
) -> None:
    before = rows("SELECT title FROM app_user ORDER BY id")
    stack.bedrock.script.push(CallTool("rag_search", {"query": "slow"}), when=lambda request: "messages" in request)
    stack.bedrock.script.push(Delay(7), when=lambda request: request.get("inputText") == "slow")
    stream = recruiter.chat(conversation, "Search slowly")
    seen = []
    for event in stream:
        seen.append(event)
        if event["type"] == "ChatToolCall":
            break
    time.sleep(1)

    began = time.monotonic()
    reply = connect().request("cancelTurn", turnId=seen[0]["turnId"])
    events = seen + list(stream)

    assert time.monotonic() - began < 6
    assert reply["cancelled"] is True
    assert events[-1]["code"] == "CANCELLED"
    eventually(
        lambda: rows(
            "SELECT FROM agent_tool_execution WHERE turn_id = %(id)s AND status = 'CANCELLED'", id=events[0]["turnId"]
        )
    )
    assert rows("SELECT title FROM app_user ORDER BY id") == before
    assert list(connect().chat(conversation, "Hello"))[-1]["type"] == "ChatComplete"


def forget(stack: Stack, turn_id: str) -> None:
    """Lose what the live table knows of a turn, as a restart of everything does."""
    table = stack.client("dynamodb")
    keys = ["pk", "sk"]
    found = table.scan(TableName="rolecall-live")["Items"]
    for item in found:
        if item["pk"]["S"] == f"TURN#{turn_id}" or item.get("turnId", {}).get("S") == turn_id:
            table.delete_item(TableName="rolecall-live", Key={name: item[name] for name in keys})


@pytest.mark.parametrize("asked", ["resume", "cancel", "send again"])
def test_a_streaming_row_that_nobody_holds_is_ended_by_whoever_asks(
    stack: Stack, recruiter: Client, connect: Callable[..., Client], conversation: str, rows: Rows, asked: str
) -> None:
    message_id = str(uuid4())
    stack.bedrock.script.push(Say("Half"), Hang(after_chunks=1))
    stream = recruiter.chat(conversation, "Tell me", message_id=message_id)
    turn_id = next(stream)["turnId"]
    eventually(lambda: rows("SELECT FROM agent_message WHERE id = %(id)s", id=turn_id))
    forget(stack, turn_id)
    assert eventually(lambda: stack.wait_idle(20), 25)
    rows_now = rows("SELECT status FROM agent_message WHERE id = %(id)s", id=turn_id)

    other = connect()
    if asked == "resume":
        events = list(other.resume(turn_id))
    elif asked == "send again":
        events = list(other.chat(conversation, "Tell me", message_id=message_id))
    else:
        other.request("cancelTurn", turnId=turn_id)
        events = list(other.resume(turn_id))

    assert events[-1]["type"] == "ChatError"
    assert events[-1]["code"] in {"STREAM_TIMEOUT", "CANCELLED", "CHAT_ERROR"}
    assert rows("SELECT status FROM agent_message WHERE id = %(id)s", id=turn_id) == [{"status": "FAILED"}], rows_now


def test_an_answer_that_was_forgotten_is_told_again_from_its_row(
    stack: Stack, recruiter: Client, connect: Callable[..., Client], conversation: str, rows: Rows
) -> None:
    message_id = str(uuid4())
    first = list(recruiter.chat(conversation, "Hello", message_id=message_id))
    forget(stack, first[0]["turnId"])

    again = list(connect().chat(conversation, "Hello", message_id=message_id))
    resumed = list(connect().resume(first[0]["turnId"]))

    for events in (again, resumed):
        assert (events[-1]["type"], events[-1]["content"]) == ("ChatComplete", first[-1]["content"])
    assert len(rows("SELECT FROM agent_message WHERE conversation_id = %(id)s AND role = 'USER'", id=conversation)) == 1


def test_a_cancel_that_comes_before_the_turn_begins_keeps_it_from_beginning(
    stack: Stack, recruiter: Client, connect: Callable[..., Client], conversation: str, rows: Rows
) -> None:
    other = connect()
    sent = recruiter.request("agentChat", conversationId=conversation, content="Tell me")
    reply = other.request("cancelTurn", turnId=sent["turnId"])

    events = list(recruiter.resume(sent["turnId"]))

    assert events[-1]["type"] in {"ChatError", "ChatComplete"}
    assert reply["cancelled"] is (events[-1].get("code") == "CANCELLED")
    assert stack.wait_idle(20)
    streaming = rows("SELECT FROM agent_message WHERE id = %(id)s AND status = 'STREAMING'", id=sent["turnId"])
    assert streaming == []


def test_resuming_a_turn_that_is_not_there_is_an_error_and_no_endless_wait(recruiter: Client) -> None:
    with pytest.raises(RequestFailed) as refused:
        list(recruiter.resume(str(uuid4())))

    assert refused.value.code == "CONVERSATION_NOT_FOUND"
