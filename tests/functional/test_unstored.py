"""Turns and conversations that are not kept: used like any other, and nowhere to be found afterwards."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from local.bedrock.answer import CallTool, Say
from local.bedrock.script import Delay
from local.client import Client, RequestFailed
from local.demo import DEMO_JOB_SEEKER, DEMO_RECRUITER
from local.stack import Stack
from local.tokens import a_visitor
from local.uploads import upload
from rolecall.db.bootstrap import DATABASE
from tests.fakes.waiting import eventually

Rows = Callable[..., list[dict[str, Any]]]
SLOW = "one two three four five six seven eight nine ten " * 6
A_FILE = {"key": "attachments/x", "filename": "x.txt", "mimeType": "text/plain"}


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
    assert unkept not in json.dumps([item["pk"] for item in _live_items(stack)])
    assert events[-1]["content"] not in json.dumps(_live_items(stack), default=str)
    with pytest.raises(RequestFailed, match="no such conversation"):
        recruiter.request("conversationMessages", conversationId=unkept)
    after = list(recruiter.chat(unkept, "Are you still there?"))
    assert (after[-1]["type"], after[-1]["code"]) == ("ChatError", "CONVERSATION_NOT_FOUND")


def test_a_message_that_is_not_kept_reads_the_conversation_and_leaves_nothing_in_it(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    list(recruiter.chat(conversation, "My favourite colour is teal"))
    off = list(recruiter.chat(conversation, "Who am I? This is off the record.", store=False))
    asked = stack.bedrock.requests[-1].body["messages"]
    list(recruiter.chat(conversation, "Hello again"))

    assert off[-1]["type"] == "ChatComplete"
    assert asked[0]["content"] == [{"text": "My favourite colour is teal"}]
    later = json.dumps(stack.bedrock.requests[-1].body["messages"])
    assert "teal" in later
    assert "off the record" not in later
    shown = recruiter.request("conversationMessages", conversationId=conversation)["messages"]
    assert [message["role"] for message in shown] == ["USER", "ASSISTANT"] * 2
    (call,) = rows("SELECT * FROM agent_tool_execution WHERE turn_id = %(id)s", id=off[-1]["messageId"])
    assert (call["status"], call["tool_code"], str(call["conversation_id"])) == ("SUCCEEDED", "get_me", conversation)
    assert (call["input"], call["output"], call["error_message"]) == (None, None, None)
    totals = "SELECT total_input_tokens FROM agent_conversation WHERE id = %(id)s"
    told = "SELECT sum(input_tokens) AS told FROM agent_message WHERE conversation_id = %(id)s"
    assert rows(totals, id=conversation)[0]["total_input_tokens"] > rows(told, id=conversation)[0]["told"]


@pytest.fixture
def handbook(recruiter: Client, tmp_path: Path) -> Iterator[str]:
    """An uploaded handbook, gone afterwards."""
    file = tmp_path / f"handbook {uuid4().hex[:6]}.md"
    file.write_text("# Leave\n\nParental leave lasts eighteen weeks and is paid at ninety percent.\n")
    document = upload(recruiter, file, lambda *_: None)
    yield document.document_id
    recruiter.request("deleteDocument", documentId=document.document_id)


def _is_chat(request: dict[str, Any]) -> bool:
    return "messages" in request


def test_no_text_of_an_unkept_turn_reaches_postgres_or_a_log(
    stack: Stack, recruiter: Client, unkept: str, handbook: str, rows: Rows
) -> None:
    secret = f"canary{uuid4().hex}"
    calls = [
        CallTool("rag_search", {"query": f"parental leave {secret}"}),
        CallTool("rag_search", {"what": secret}),
        CallTool(secret, {"text": secret}),
    ]
    stack.bedrock.script.push(Say(f"I look for {secret}."), *calls, when=_is_chat)
    stack.bedrock.script.push(Say(f"{secret} it is [1]."), when=_is_chat)

    events = list(recruiter.chat(unkept, f"How long is parental leave? {secret}", pageContext=secret))

    results = [event["success"] for event in events if event["type"] == "ChatToolResult"]
    assert sorted(results) == [False, False, True]
    assert secret in events[-1]["content"]
    assert events[-1]["sources"]
    assert secret in json.dumps(recruiter.request("conversationMessages", conversationId=unkept))
    assert stack.wait_idle(20)
    assert _tables_with(stack, secret) == []
    assert [path.name for path in (stack.data.path / "logs").iterdir() if secret in path.read_text()] == []
    logged = rows("SELECT status FROM agent_tool_execution WHERE turn_id = %(id)s", id=events[-1]["messageId"])
    assert sorted(row["status"] for row in logged) == ["FAILED", "FAILED", "SUCCEEDED"]


def test_an_unkept_turn_is_resumed_in_the_middle_and_sent_twice_it_is_one(
    stack: Stack, recruiter: Client, connect: Callable[..., Client], unkept: str
) -> None:
    stack.bedrock.chunk_delay = 0.02
    stack.bedrock.script.push(Say(SLOW))
    message = {"conversationId": unkept, "messageId": str(uuid4()), "content": "Count"}
    sent = recruiter.request("agentChat", **message)
    seen = [event for event, _ in zip(recruiter.follow(sent["turnId"], 0), range(4), strict=False)]
    again = connect().request("agentChat", **message)
    recruiter.close()

    events = seen + list(connect().resume(sent["turnId"], seen[-1]["seq"]))

    assert (again["turnId"], again["repeated"]) == (sent["turnId"], True)
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["content"] == SLOW
    shown = connect().request("conversationMessages", conversationId=unkept)["messages"]
    assert [(row["role"], row["status"]) for row in shown] == [("USER", "COMPLETED"), ("ASSISTANT", "COMPLETED")]


def test_an_unkept_turn_is_cancelled_and_one_runs_at_a_time(
    stack: Stack, recruiter: Client, connect: Callable[..., Client], unkept: str, rows: Rows
) -> None:
    stack.bedrock.chunk_delay = 0.05
    stack.bedrock.script.push(Say(SLOW))
    stream = recruiter.chat(unkept, "Count")
    seen = [next(stream) for _ in range(4)]
    with pytest.raises(RequestFailed) as busy:
        list(connect().chat(unkept, "And me?"))
    reply = connect().request("cancelTurn", turnId=seen[0]["turnId"])
    events = seen + list(stream)

    assert busy.value.code == "TURN_IN_PROGRESS"
    assert reply["cancelled"] is True
    assert events[-1]["code"] == "CANCELLED"
    shown = recruiter.request("conversationMessages", conversationId=unkept)["messages"]
    assert (shown[-1]["status"], shown[-1]["errorCode"]) == ("FAILED", "CANCELLED")
    assert shown[-1]["content"] == events[-1]["content"]
    stack.bedrock.chunk_delay = 0
    assert list(recruiter.chat(unkept, "Hello"))[-1]["type"] == "ChatComplete"


def test_a_worker_killed_in_an_unkept_turn_ends_it_and_frees_the_conversation(
    stack: Stack, recruiter: Client, unkept: str
) -> None:
    stack.bedrock.chunk_delay = 0.05
    stack.bedrock.script.push(Say(SLOW))
    stream = recruiter.chat(unkept, "Count")
    seen = [next(stream) for _ in range(6)]

    assert stack.kill_worker("turn")
    events = seen + list(stream)

    assert events[-1]["type"] == "ChatError"
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert SLOW.startswith(events[-1]["content"])
    shown = recruiter.request("conversationMessages", conversationId=unkept)["messages"]
    assert (shown[-1]["status"], shown[-1]["content"]) == ("FAILED", events[-1]["content"])
    stack.bedrock.chunk_delay = 0
    assert list(recruiter.chat(unkept, "Hello"))[-1]["type"] == "ChatComplete"


def test_a_tools_worker_that_dies_in_an_unkept_turn_is_a_failed_call_and_the_turn_goes_on(
    stack: Stack, recruiter: Client, unkept: str, rows: Rows
) -> None:
    stack.bedrock.script.push(CallTool("rag_search", {"query": "slow"}), when=_is_chat)
    stack.bedrock.script.push(Delay(8), when=lambda request: request.get("inputText") == "slow")
    stream = recruiter.chat(unkept, "Search slowly")
    seen = []
    for event in stream:
        seen.append(event)
        if event["type"] == "ChatToolCall":
            break
    eventually(lambda: stack.kill_worker("tools"), timeout=6)
    events = seen + list(stream)

    (result,) = [event for event in events if event["type"] == "ChatToolResult"]
    assert result["success"] is False
    assert events[-1]["type"] == "ChatComplete"
    (call,) = rows("SELECT status FROM agent_tool_execution WHERE turn_id = %(id)s", id=events[-1]["messageId"])
    assert call["status"] == "FAILED"


def test_an_unkept_conversation_is_gone_once_it_has_expired(stack: Stack, recruiter: Client, unkept: str) -> None:
    events = list(recruiter.chat(unkept, "Hello"))
    for item in _live_items(stack):
        ours = unkept in item["pk"]["S"] or events[-1]["messageId"] in item["pk"]["S"]
        if ours and "expires_at" in item:
            item["expires_at"] = {"N": "1"}
            stack.client("dynamodb").put_item(TableName="rolecall-live", Item=item)

    with pytest.raises(RequestFailed) as read:
        recruiter.request("conversationMessages", conversationId=unkept)
    with pytest.raises(RequestFailed) as resumed:
        recruiter.request("resumeTurn", turnId=events[-1]["messageId"])
    later = list(recruiter.chat(unkept, "Hello"))

    assert (read.value.code, resumed.value.code) == ("CONVERSATION_NOT_FOUND",) * 2
    assert "expired" in str(read.value)
    assert (later[-1]["type"], later[-1]["code"]) == ("ChatError", "CONVERSATION_NOT_FOUND")


def test_an_unkept_conversation_is_its_persons_alone(
    recruiter: Client, connect: Callable[..., Client], unkept: str
) -> None:
    events = list(recruiter.chat(unkept, "Hello"))
    for stranger in (connect(DEMO_JOB_SEEKER), connect(DEMO_RECRUITER.as_job_seeker()), connect(a_visitor())):
        with pytest.raises(RequestFailed) as read:
            stranger.request("conversationMessages", conversationId=unkept)
        with pytest.raises(RequestFailed) as resumed:
            stranger.request("resumeTurn", turnId=events[-1]["messageId"])
        said = list(stranger.chat(unkept, "Let me in"))
        stranger.request("deleteConversation", conversationId=unkept)

        codes = {read.value.code, resumed.value.code, said[-1]["code"]}
        assert codes == {"CONVERSATION_NOT_FOUND"}
    assert len(recruiter.request("conversationMessages", conversationId=unkept)["messages"]) == 2


def test_the_last_answer_of_an_unkept_conversation_is_made_anew(stack: Stack, recruiter: Client, unkept: str) -> None:
    list(recruiter.chat(unkept, "My favourite colour is teal"))
    replaced = list(recruiter.chat(unkept, "First try"))
    shown = recruiter.request("conversationMessages", conversationId=unkept)["messages"]
    message_id = shown[2]["messageId"]

    events = list(recruiter.chat(unkept, "Second try", replaces=message_id))

    assert (replaced[-1]["type"], events[-1]["type"]) == ("ChatComplete", "ChatComplete")
    sent = json.dumps(stack.bedrock.requests[-1].body["messages"])
    assert "teal" in sent
    assert "First try" not in sent
    shown = recruiter.request("conversationMessages", conversationId=unkept)["messages"]
    assert [row["content"] for row in shown if row["role"] == "USER"] == ["My favourite colour is teal", "Second try"]


@pytest.fixture
def public_agent(recruiter: Client) -> Iterator[str]:
    """An agent of the demo company that visitors may talk to."""
    agent: str = recruiter.request("whoAmI")["defaultAgentId"]
    assert recruiter.request("updateAgent", agentId=agent, public=True)["agent"]["public"] is True
    yield agent
    assert recruiter.request("updateAgent", agentId=agent, public=False)["agent"]["public"] is False


def test_a_visitor_talks_to_a_public_agent_without_tools_documents_or_traces(
    stack: Stack, recruiter: Client, connect: Callable[..., Client], public_agent: str, rows: Rows
) -> None:
    used = "SELECT coalesce(sum(input_tokens), 0) AS used FROM agent_token_usage WHERE agent_id = %(id)s"
    before = rows(used, id=public_agent)[0]["used"]
    visitor = connect(a_visitor())
    me = visitor.request("whoAmI")
    made = visitor.request("createConversation")["conversation"]

    first = list(visitor.chat(made["conversationId"], "My favourite colour is teal. Who am I?"))
    second = list(visitor.chat(made["conversationId"], "What was it?", store=True))

    assert (me["anonymous"], me["user"], me["companies"]) == (True, None, [])
    assert [agent["agentId"] for agent in me["agents"]] == [made["agentId"]] == [public_agent]
    assert (first[-1]["type"], second[-1]["type"]) == ("ChatComplete", "ChatComplete")
    request = stack.bedrock.requests[-1].body
    assert "toolConfig" not in request
    assert "teal" in json.dumps(request["messages"])
    assert not [event for event in first if event["type"] in {"ChatToolCall", "ChatSources"}]
    assert _tables_with(stack, "favourite colour is teal. Who am I") == []
    assert rows(used, id=public_agent)[0]["used"] > before


@pytest.mark.parametrize(
    ("action", "fields"),
    [
        ("listConversations", {}),
        ("listDocuments", {}),
        ("requestUpload", {"filename": "cv.pdf", "sizeBytes": 10}),
        ("updateConversation", {"conversationId": str(uuid4()), "title": "Mine"}),
        ("readPassage", {"chunkId": str(uuid4())}),
    ],
)
def test_a_visitor_is_asked_to_sign_in_for_everything_else(
    connect: Callable[..., Client], action: str, fields: dict[str, Any]
) -> None:
    with pytest.raises(RequestFailed, match="signed in") as refused:
        connect(a_visitor()).request(action, **fields)

    assert refused.value.code == "UNAUTHORIZED"


def test_a_visitor_reaches_no_agent_that_is_not_public_and_no_kept_conversation(
    recruiter: Client, connect: Callable[..., Client], conversation: str
) -> None:
    visitor = connect(a_visitor())
    agent = recruiter.request("whoAmI")["defaultAgentId"]

    with pytest.raises(RequestFailed) as refused:
        visitor.request("createConversation", agentId=agent)
    with pytest.raises(RequestFailed) as unnamed:
        visitor.request("createConversation")
    with pytest.raises(RequestFailed) as files:
        visitor.request("agentChat", conversationId=conversation, content="Hi", attachments=[A_FILE])
    said = list(visitor.chat(conversation, "Let me in"))

    assert (refused.value.code, unnamed.value.code) == ("AGENT_INACTIVE", "AGENT_INACTIVE")
    assert files.value.code == "ATTACHMENT_FAILED"
    assert (said[-1]["type"], said[-1]["code"]) == ("ChatError", "CONVERSATION_NOT_FOUND")


def _live_items(stack: Stack) -> list[dict[str, Any]]:
    pages = stack.client("dynamodb").get_paginator("scan").paginate(TableName="rolecall-live")
    return [item for page in pages for item in page["Items"]]


def _tables_with(stack: Stack, text: str) -> list[str]:
    """Every table that has the text in any column of any row."""
    found = []
    with psycopg.connect(make_conninfo(stack.superuser_url, dbname=DATABASE)) as conn:
        tables = conn.execute(
            "SELECT schemaname, tablename FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        for name in tables:
            query = sql.SQL("SELECT EXISTS (SELECT FROM {} AS t WHERE t::text LIKE %s)").format(sql.Identifier(*name))
            if conn.execute(query, [f"%{text}%"]).fetchone() == (True,):
                found.append(".".join(name))
    assert len(tables) > 15
    return found
