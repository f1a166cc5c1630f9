import pytest

from rolecall.knowledge.extract import Kind, extract
from rolecall.knowledge.faults import Fault, UnreadableDocument
from tests.unit.knowledge.files import a_docx, a_pdf, a_zip, an_old_word_document, p


def fault_of(data: bytes, filename: str = "") -> UnreadableDocument:
    with pytest.raises(UnreadableDocument) as caught:
        extract(data, filename=filename)
    return caught.value


@pytest.mark.parametrize(
    ("filename", "data", "kind"),
    [
        ("cv.doc", a_docx(p("Hello")), Kind.DOCX),
        ("cv.pdf", a_docx(p("Hello")), Kind.DOCX),
        ("cv.txt", a_pdf("Hello"), Kind.PDF),
        ("UPPERCASE.PDF", a_pdf("Hello"), Kind.PDF),
        ("no extension", a_pdf("Hello"), Kind.PDF),
        ("table.xls", b"<html><table><tr><td>Hello</td></tr></table></html>", Kind.HTML),
        ("table.xls", b"Greeting\tName\nHello\tAda\n", Kind.CSV),
        ("cv.pdf", b"Hello, this is only text", Kind.TEXT),
        ("notes.md", b"# Hello", Kind.MARKDOWN),
    ],
)
def test_a_file_is_read_as_what_it_is(filename: str, data: bytes, kind: Kind) -> None:
    read = extract(data, filename=filename, mime_type="application/pdf")
    assert (read.mime_type, "Hello" in read.text) == (kind, True)


@pytest.mark.parametrize(
    ("data", "what"),
    [
        (b"\x89PNG\r\n\x1a\n" + bytes(50), "a picture (PNG)"),
        (b"\xff\xd8\xff\xe0" + bytes(50), "a picture (JPEG)"),
        (b"RIFF\0\0\0\0WEBPVP8 ", "a picture (WebP)"),
        (b"{\\rtf1\\ansi Hello}", "an RTF file"),
        (an_old_word_document(), "an old Word document (.doc)"),
        (a_zip({"xl/workbook.xml": "<x/>"}), "an Excel workbook (.xlsx)"),
        (a_zip({"notes.txt": "Hello"}), "an archive (zip)"),
        (b"MZ\x90\x00" + bytes(60), "a program"),
    ],
)
def test_a_type_that_is_not_read_is_named(data: bytes, what: str) -> None:
    fault = fault_of(data, "cv.pdf")
    assert fault.reason is Fault.UNSUPPORTED
    assert fault.message.startswith(f"This is {what}.")
    assert fault.recovery_hint


def test_an_empty_file_is_empty() -> None:
    assert fault_of(b"", "cv.pdf").reason is Fault.EMPTY


@pytest.mark.parametrize("data", [b"\n\n\n", b"   ", b"\x00\x00\x00", b"\xef\xbb\xbf"])
def test_a_file_of_nothing_visible_is_empty(data: bytes) -> None:
    assert fault_of(data, "x.txt").reason is Fault.EMPTY


def test_noise_is_corrupt_whatever_it_is_called() -> None:
    noise = bytes((at * 7919 + at * at * 31) % 256 for at in range(4096))
    assert fault_of(b"\x01\x02" + noise, "cv.pdf").reason is Fault.CORRUPT
