"""Files that cannot go with a message: refused by name, before anything is stored."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import httpx
import pytest

from functions.manifest import UPLOADS_BUCKET
from local.client import Client, RequestFailed
from local.stack import Stack
from local.uploads import attach_bytes
from tests.fakes.pictures import a_png
from tests.functional.attached import CV, DOCX, PDF, send
from tests.unit.knowledge.files import a_pdf, an_encrypted_ooxml

Rows = Callable[..., list[dict[str, Any]]]
MESSAGES = "SELECT id FROM agent_message WHERE conversation_id = %(id)s"


LOCKED = a_pdf("Secret", password="pw")
BAD = {
    "a program": ("setup.pdf", b"MZ\x90\0" + b"\0" * 100, PDF),
    "locked pdf": ("locked.pdf", LOCKED, PDF),
    "locked docx": ("locked.docx", an_encrypted_ooxml(), DOCX),
    "half a pdf": ("half.pdf", CV[: len(CV) // 2], PDF),
    "half a picture": ("half.png", a_png()[:-20], "image/png"),
    "a huge picture": ("huge.png", a_png(9000, 10), "image/png"),
    "an archive": ("cv.docx", b"PK\x05\x06" + b"\0" * 18, DOCX),
}


@pytest.mark.parametrize("case", BAD)
def test_a_file_that_no_model_can_read_is_refused_by_name_before_anything_is_stored(
    case: str, stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    name, data, kind = BAD[case]

    ended = send(stack, recruiter, conversation, attach_bytes(recruiter, name, data, kind), content="Look")

    assert (ended["type"], ended["code"]) == ("ChatError", "ATTACHMENT_FAILED")
    assert name in ended["message"]
    assert ended["recoveryHint"]
    assert rows(MESSAGES, id=conversation) == []
    assert send(stack, recruiter, conversation, content="Never mind")["type"] == "ChatComplete"


def test_a_missing_file_and_somebody_elses_are_refused_in_the_same_words(
    stack: Stack, recruiter: Client, job_seeker: Client, conversation: str, rows: Rows
) -> None:
    gone = attach_bytes(recruiter, "cv.pdf", CV, PDF)
    stack.client("s3").delete_object(Bucket=UPLOADS_BUCKET, Key=gone["key"])
    theirs = attach_bytes(job_seeker, "cv.pdf", CV, PDF)
    sneaky = gone | {"key": gone["key"].rsplit("/", 2)[0] + "/../" + theirs["key"].split("/", 2)[2]}

    endings = [
        send(stack, recruiter, conversation, file, content="Look")
        for file in (gone, theirs, sneaky, gone | {"key": "uploads/" + str(uuid4()) + "/cv.pdf"})
    ]

    assert {(ended["type"], ended["code"]) for ended in endings} == {("ChatError", "ATTACHMENT_FAILED")}
    assert len({(ended["message"], ended["recoveryHint"]) for ended in endings}) == 1
    assert "cv.pdf" in endings[0]["message"]
    assert rows(MESSAGES, id=conversation) == []


@pytest.mark.parametrize(
    ("name", "kind", "size"),
    [
        ("cv.pdf", PDF, 4_500_001),
        ("photo.png", "image/png", 3_932_161),
        ("setup.exe", "application/x-msdownload", 10),
        ("cv.pdf", PDF, 0),
    ],
)
def test_what_cannot_be_attached_gets_no_form(name: str, kind: str, size: int, recruiter: Client) -> None:
    with pytest.raises(RequestFailed, match=name) as refused:
        recruiter.request("requestUpload", purpose="attachment", filename=name, mimeType=kind, sizeBytes=size)
    assert refused.value.code == "ATTACHMENT_FAILED"
    assert refused.value.hint


def test_the_store_refuses_a_file_that_is_larger_than_was_announced(recruiter: Client) -> None:
    form = recruiter.request(
        "requestUpload", purpose="attachment", filename="a.txt", mimeType="text/plain", sizeBytes=1
    )

    answer = httpx.post(form["url"], data=form["fields"], files={"file": ("a.txt", b"x" * 4_500_001, "text/plain")})

    assert answer.status_code == 400
    assert "EntityTooLarge" in answer.text


def test_files_of_a_message_are_limited_in_number_and_together(
    stack: Stack, recruiter: Client, conversation: str, rows: Rows
) -> None:
    large = b"word " * 890_000
    files = [attach_bytes(recruiter, f"{n}.txt", large, "text/plain") for n in range(5)]

    with pytest.raises(RequestFailed, match="attachments"):
        list(recruiter.chat(conversation, "Look", attachments=[*files, {**files[0], "key": "k"}]))
    ended = send(stack, recruiter, conversation, *files, content="Look")

    assert (ended["type"], ended["code"]) == ("ChatError", "ATTACHMENT_FAILED")
    assert "20.0 MB" in ended["message"]
    assert rows(MESSAGES, id=conversation) == []
