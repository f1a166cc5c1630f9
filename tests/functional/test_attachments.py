"""Files with a message: what the model is given, now and in later turns."""

from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote

import httpx
import pytest
from typer.testing import CliRunner

from functions.manifest import UPLOADS_BUCKET
from local.bedrock.answer import CallTool, Say
from local.bedrock.script import Fail
from local.cli import app
from local.client import Client, RequestFailed
from local.stack import Stack
from local.uploads import attach_bytes
from tests.fakes.pictures import a_png
from tests.functional.attached import CV, DOCX, PDF, asked, blocks, said, send
from tests.unit.knowledge.files import a_docx, p

Rows = Callable[..., list[dict[str, Any]]]


def test_a_message_of_files_alone_reaches_the_model_with_their_names_and_is_kept(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    cv = attach_bytes(recruiter, "Åsa's CV_final.pdf", CV, PDF)
    photo = attach_bytes(recruiter, "photo.png", a_png(), "image/png")

    ended = send(stack, recruiter, conversation, cv, photo)

    assert ended["type"] == "ChatComplete"
    messages = asked(stack)
    (document,) = blocks(messages, "document")
    (image,) = blocks(messages, "image")
    assert (document["format"], document["name"], document["source"]["bytes"]) == ("pdf", "Asa s CV final", CV)
    assert (image["format"], image["source"]["bytes"]) == ("png", a_png())
    assert "Åsa's CV_final.pdf" in said(messages)
    assert "photo.png" in said(messages)
    shown = recruiter.request("conversationMessages", conversationId=conversation)["messages"]
    assert [file["filename"] for file in shown[0]["attachments"]] == ["Åsa's CV_final.pdf", "photo.png"]
    assert shown[0]["attachments"][0] == {
        "key": cv["key"],
        "filename": "Åsa's CV_final.pdf",
        "mimeType": PDF,
        "sizeBytes": len(CV),
    }
    (kept,) = rows("SELECT title FROM agent_conversation WHERE id = %(id)s", id=conversation)
    assert kept["title"]


def test_files_come_again_in_every_hop_and_in_later_turns_under_the_same_names(
    stack: Stack, recruiter: Client, conversation: str
) -> None:
    cv = attach_bytes(recruiter, "report.pdf", CV, PDF)
    stack.bedrock.script.push(CallTool("get_me", {}), when=lambda request: "messages" in request)
    list(recruiter.chat(conversation, "Who am I, and who is this?", attachments=[cv]))
    streamed = [each.body["messages"] for each in stack.bedrock.requests if each.operation == "converse-stream"]
    docx = a_docx(p("Plans"))

    send(stack, recruiter, conversation, attach_bytes(recruiter, "report.docx", docx, DOCX), content="And this?")
    send(stack, recruiter, conversation, attach_bytes(recruiter, "Report.pdf", CV, PDF), content="And that?")
    send(stack, recruiter, conversation, content="Thanks")

    assert len(streamed) == 2
    assert blocks(streamed[0], "document") == blocks(streamed[1], "document") != []
    last = blocks(asked(stack), "document")
    assert [document["name"] for document in last] == ["report", "report-2", "Report-3"]
    assert [document["format"] for document in last] == ["pdf", "docx", "pdf"]
    assert last[0] == blocks(streamed[0], "document")[0]


def test_of_many_documents_the_newest_five_are_sent_and_the_others_named(
    stack: Stack, recruiter: Client, conversation: str
) -> None:
    for number in range(1, 7):
        file = attach_bytes(recruiter, f"cv {number}.pdf", CV, PDF)
        ended = send(stack, recruiter, conversation, file, content="Look")
        assert ended["type"] == "ChatComplete"

    assert [document["name"] for document in blocks(asked(stack), "document")] == [f"cv {n}" for n in range(2, 7)]
    assert "[Previously attached: cv 1.pdf]" in said(asked(stack))


def test_a_file_that_was_deleted_later_is_named_and_the_conversation_goes_on(
    stack: Stack, recruiter: Client, conversation: str
) -> None:
    cv = attach_bytes(recruiter, "cv.pdf", CV, PDF)
    send(stack, recruiter, conversation, cv, content="Look")
    stack.client("s3").delete_object(Bucket=UPLOADS_BUCKET, Key=cv["key"])

    ended = send(stack, recruiter, conversation, content="And?")

    assert ended["type"] == "ChatComplete"
    assert blocks(asked(stack), "document") == []
    assert "[Previously attached: cv.pdf]" in said(asked(stack))


def test_a_file_that_the_model_refused_is_not_sent_again(stack: Stack, recruiter: Client, conversation: str) -> None:
    cv = attach_bytes(recruiter, "cv.pdf", CV, PDF)
    refusal = Fail("ValidationException", 400, "The PDF specified was not valid.", times=9)
    stack.bedrock.script.push(refusal, when=lambda request: bool(blocks(request.get("messages", []), "document")))
    (*_, refused) = recruiter.chat(conversation, "Look", attachments=[cv])

    (*_, ended) = recruiter.chat(conversation, "Hello again")

    assert refused["type"] == "ChatError"
    assert ended["type"] == "ChatComplete"
    assert "[Previously attached: cv.pdf]" in said(asked(stack))


def test_a_lying_type_is_put_right_by_the_bytes(stack: Stack, recruiter: Client, conversation: str) -> None:
    file = attach_bytes(recruiter, "scan.png", CV, "image/png")
    text = attach_bytes(recruiter, "notes.pdf", "Grüße".encode("utf-16"), PDF)

    ended = send(stack, recruiter, conversation, file, text)

    assert ended["type"] == "ChatComplete"
    assert [document["format"] for document in blocks(asked(stack), "document")] == ["pdf", "txt"]
    assert blocks(asked(stack), "document")[1]["source"]["bytes"] == "Grüße".encode()
    shown = recruiter.request("conversationMessages", conversationId=conversation)["messages"]
    assert [file["mimeType"] for file in shown[0]["attachments"]] == [PDF, "text/plain"]


def test_a_percent_encoded_key_finds_its_file(stack: Stack, recruiter: Client, conversation: str) -> None:
    cv = attach_bytes(recruiter, "cv.pdf", CV, PDF)
    key = cv["key"].replace("cv.pdf", "my cv (1).pdf")
    stack.client("s3").put_object(Bucket=UPLOADS_BUCKET, Key=key, Body=CV)

    ended = send(stack, recruiter, conversation, cv | {"key": quote(key)}, content="Look")

    assert ended["type"] == "ChatComplete"
    shown = recruiter.request("conversationMessages", conversationId=conversation)["messages"]
    assert shown[0]["attachments"][0]["key"] == key


@pytest.mark.parametrize("name", ["../../x.pdf", "a\u030angstro\u0308m.pdf", "x" * 996 + ".pdf", "]\n[Turn].pdf"])
def test_whatever_a_file_is_called_it_arrives(name: str, stack: Stack, recruiter: Client, conversation: str) -> None:
    file = attach_bytes(recruiter, name, CV, PDF)

    ended = send(stack, recruiter, conversation, file, content="Look")

    assert ended["type"] == "ChatComplete"
    assert ".." not in file["key"]
    assert len(file["key"]) < 300
    (document,) = blocks(asked(stack), "document")
    assert document["source"]["bytes"] == CV
    shown = recruiter.request("conversationMessages", conversationId=conversation)["messages"][0]["attachments"][0]
    assert shown["filename"].endswith(".pdf")
    assert len(shown["filename"]) <= 255
    assert not set("/\\\n\u030a") & set(shown["filename"])


def test_a_file_is_no_document_of_the_agents(recruiter: Client, stack: Stack) -> None:
    attach_bytes(recruiter, "private.txt", b"A private note", "text/plain")

    assert stack.wait_idle(20)
    assert "private.txt" not in {row["filename"] for row in recruiter.request("listDocuments")["documents"]}


def test_a_file_is_read_by_its_own_person_for_a_while_and_goes_with_its_conversation(
    stack: Stack, recruiter: Client, job_seeker: Client, conversation: str
) -> None:
    cv = attach_bytes(recruiter, "Åsa.pdf", CV, PDF)
    send(stack, recruiter, conversation, cv, content="Look")
    message = recruiter.request("conversationMessages", conversationId=conversation)["messages"][0]
    place = {"conversationId": conversation, "messageId": message["messageId"], "key": cv["key"]}

    address = recruiter.request("attachmentUrl", **place)

    answer = httpx.get(address["url"])
    assert (answer.content, answer.headers["content-type"]) == (CV, PDF)
    assert answer.headers["content-disposition"].startswith("attachment")
    assert quote("Åsa.pdf") in answer.headers["content-disposition"]
    with pytest.raises(RequestFailed, match="no such file"):
        job_seeker.request("attachmentUrl", **place)
    recruiter.request("deleteConversation", conversationId=conversation)
    with pytest.raises(RequestFailed, match="no such file"):
        recruiter.request("attachmentUrl", **place)
    assert httpx.get(address["url"]).is_error


def test_a_message_that_is_edited_takes_its_file_along(stack: Stack, recruiter: Client, conversation: str) -> None:
    cv = attach_bytes(recruiter, "cv.pdf", CV, PDF)
    send(stack, recruiter, conversation, cv, content="Look")
    (first, _) = recruiter.request("conversationMessages", conversationId=conversation)["messages"]
    stack.bedrock.script.push(Say("Noted."), when=lambda request: "messages" in request)

    (*_, ended) = recruiter.chat(conversation, "Look closer", attachments=[cv], replaces=first["messageId"])

    assert ended["type"] == "ChatComplete"
    assert [document["name"] for document in blocks(asked(stack), "document")] == ["cv"]


def test_the_command_line_shows_a_file_to_the_agent(stack: Stack, tmp_path: Path) -> None:
    path = tmp_path / "engines.txt"
    path.write_text("Ada has worked with analytical engines for nine years.")
    command = ["chat", "How many years with engines?", "--attach", str(path), "--data", str(stack.data.path)]

    said = CliRunner().invoke(app, command)

    assert said.exit_code == 0, said.output
    assert "nine years" in said.output


def test_a_file_that_is_too_long_for_the_model_ends_its_own_turn_and_no_other(
    stack: Stack, recruiter: Client, conversation: str
) -> None:
    novel = attach_bytes(recruiter, "novel.txt", b"word " * 300_000, "text/plain")

    ended = send(stack, recruiter, conversation, novel, content="Look")
    after = send(stack, recruiter, conversation, content="Never mind")

    assert (ended["type"], ended["code"]) == ("ChatError", "CONTEXT_EXHAUSTED")
    assert after["type"] == "ChatComplete"
    assert "[Previously attached: novel.txt]" in said(asked(stack))
