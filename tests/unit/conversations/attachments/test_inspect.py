"""A file is what its bytes are; a name and a declared type only tell kinds of text apart."""

import struct
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolecall.conversations.attachments.inspect import real_type, text_of
from rolecall.conversations.attachments.pictures import MAX_SIDE
from rolecall.conversations.attachments.types import DOC, TYPES, XLS, XLSX, announced_type
from rolecall.knowledge.faults import Fault, UnreadableDocument
from tests.fakes.pictures import a_gif, a_jpeg, a_png, a_webp
from tests.unit.knowledge.files import a_docx, a_pdf, a_zip, an_encrypted_ooxml, an_old_word_document, p

WORKBOOK = a_zip({"[Content_Types].xml": "<Types/>", "xl/workbook.xml": "<workbook/>"})
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504


def an_old_workbook(*, locked: bool = False) -> bytes:
    first = b"\x09\x08\x10\x00" + b"\0" * 16
    second = b"\x2f\x00\x36\x00" if locked else b"\xe1\x00\x02\x00"
    return OLE + first + second + b"\0" * 600 + "Workbook\0".encode("utf-16-le")


def a_locked_word_document() -> bytes:
    return OLE + b"\xec\xa5" + b"\0" * 9 + b"\x01" + b"\0" * 600 + "WordDocument\0".encode("utf-16-le")


@pytest.mark.parametrize(
    ("data", "mime"),
    [
        (a_png(), "image/png"),
        (a_jpeg(), "image/jpeg"),
        (a_jpeg() + b"a camera's trailer", "image/jpeg"),
        (a_gif(), "image/gif"),
        (a_webp(), "image/webp"),
        (a_pdf("x"), "application/pdf"),
        (a_pdf("x") + b"\0" * 5000, "application/pdf"),
        (a_docx(p("x")), "application/vnd.openxmlformats-officedocument.wordprocessingml.document"),
        (WORKBOOK, XLSX),
        (an_old_word_document(), DOC),
        (an_old_workbook(), XLS),
        (b"plain words", "text/plain"),
        (b"<!doctype html><p>x", "text/html"),
        ("grüße".encode("utf-16"), "text/plain"),
    ],
)
def test_bytes_prove_a_type_whatever_was_declared(data: bytes, mime: str) -> None:
    assert real_type(data, "anything.xyz", "image/png") == mime
    assert mime in TYPES


def test_a_name_tells_kinds_of_text_apart() -> None:
    assert real_type(b"# Title", "a.md", "text/plain") == "text/markdown"
    assert real_type(b"a;b\n1;2", "a.csv", "application/vnd.ms-excel") == "text/csv"


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", Fault.EMPTY),
        (a_pdf("x", password="pw"), Fault.ENCRYPTED),
        (an_encrypted_ooxml(), Fault.ENCRYPTED),
        (a_locked_word_document(), Fault.ENCRYPTED),
        (an_old_workbook(locked=True), Fault.ENCRYPTED),
        (a_pdf("x")[:200], Fault.CORRUPT),
        (a_docx(p("x"))[:200], Fault.CORRUPT),
        (a_png()[:-8], Fault.CORRUPT),
        (a_png().replace(b"\x80", b"\x81", 1)[:-1], Fault.CORRUPT),
        (a_jpeg()[:-2], Fault.CORRUPT),
        (a_gif()[:-1], Fault.CORRUPT),
        (a_webp()[:-4], Fault.CORRUPT),
        (a_png(MAX_SIDE + 1, 1), Fault.TOO_LARGE),
        (a_jpeg(1, MAX_SIDE + 1), Fault.TOO_LARGE),
        (a_png(0, 1), Fault.TOO_LARGE),
        (a_png() + b"\0" * 4_000_000, Fault.TOO_LARGE),
        (b"word " * 900_001, Fault.TOO_LARGE),
        (b"MZ\x90\0", Fault.UNSUPPORTED),
        (b"BM\x00\x00\x00\x00\0\0\0\0", Fault.UNSUPPORTED),
        (b"\0\0\0\x18ftypheic", Fault.UNSUPPORTED),
        (a_zip({"ppt/presentation.xml": "<p/>"}), Fault.UNSUPPORTED),
        (a_zip({"xl/workbook.bin": "x"}), Fault.UNSUPPORTED),
    ],
)
def test_what_a_model_cannot_read_is_refused_with_a_reason(data: bytes, reason: Fault) -> None:
    with pytest.raises(UnreadableDocument) as refused:
        real_type(data, "x", "application/pdf")
    assert refused.value.reason == reason
    assert refused.value.recovery_hint


@given(st.binary(max_size=300), st.sampled_from([a_png(), a_jpeg(), a_gif(), a_webp(), a_pdf("x"), WORKBOOK, OLE]))
def test_any_bytes_have_a_type_or_a_reason(tail: bytes, start: bytes) -> None:
    for data in (tail, start[: len(tail)] + tail, start + tail):
        try:
            assert real_type(data, "x.txt", "") in TYPES
        except UnreadableDocument as refused:
            assert refused.message  # noqa: PT017


def test_text_is_read_without_what_guesses_encodings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "charset_normalizer", None)
    assert text_of("Größe".encode("cp1252")) == "Größe"
    with pytest.raises(UnreadableDocument):
        text_of(bytes(range(256)) * 4)


@pytest.mark.parametrize(
    ("filename", "declared", "announced"),
    [
        ("cv.PDF", "", "application/pdf"),
        ("people.csv", "application/vnd.ms-excel", "text/csv"),
        ("photo", "image/jpg; q=1", "image/jpeg"),
        ("photo.heic", "image/heic", None),
        ("cv.pages", "application/octet-stream", None),
        (".pdf", "", "application/pdf"),
    ],
)
def test_a_name_says_before_the_declared_type_what_a_file_is_announced_as(
    filename: str, declared: str, announced: str | None
) -> None:
    assert announced_type(filename, declared) == announced


def test_the_sizes_of_pictures_are_read() -> None:
    for make in (a_png, a_jpeg, a_gif, a_webp):
        assert real_type(make(MAX_SIDE, 3), "x", "")
        with pytest.raises(UnreadableDocument, match="pixels"):
            real_type(make(MAX_SIDE + 1, 3), "x", "")


def test_a_picture_whose_chunk_claims_more_than_there_is_is_damaged() -> None:
    with pytest.raises(UnreadableDocument):
        real_type(b"\x89PNG\r\n\x1a\n" + struct.pack(">I4s", 2**32 - 1, b"IHDR"), "x", "")
