import pytest

from rolecall.knowledge.extract import Kind, extract
from rolecall.knowledge.faults import Fault, UnreadableDocument
from tests.unit.knowledge.files import a_pdf

SECRET = "The notice period is three months."


def fault_of(data: bytes) -> UnreadableDocument:
    with pytest.raises(UnreadableDocument) as caught:
        extract(data, filename="x.pdf", mime_type="application/pdf")
    return caught.value


def test_every_page_is_read_and_known_by_its_number() -> None:
    read = extract(a_pdf("First page", "Second page\nwith a second line"))
    assert read.text == "First page\n\nSecond page\nwith a second line"
    assert [read.at(read.text.index(word)).page for word in ("First", "Second", "line")] == [1, 2, 2]
    assert (read.page_count, read.mime_type) == (2, Kind.PDF)


def test_a_pdf_that_only_forbids_copying_is_read() -> None:
    assert extract(a_pdf(SECRET, password="")).text == SECRET


def test_a_pdf_with_a_password_fails_as_encrypted_and_says_what_to_do() -> None:
    fault = fault_of(a_pdf(SECRET, password="s"))
    assert fault.reason is Fault.ENCRYPTED
    assert "password" in fault.message
    assert "without the password" in fault.recovery_hint


def test_a_scan_fails_as_such() -> None:
    fault = fault_of(a_pdf("", image=True))
    assert fault.reason is Fault.NO_TEXT
    assert "no text in it; it looks like a scan" in fault.message


def test_a_blank_pdf_is_empty() -> None:
    assert fault_of(a_pdf("", "")).reason is Fault.EMPTY


@pytest.mark.parametrize("share", [0.02, 0.1])
def test_a_pdf_cut_off_early_is_corrupt(share: float) -> None:
    whole = a_pdf(*["Some text"] * 20)
    assert fault_of(whole[: int(len(whole) * share)]).reason in {Fault.CORRUPT, Fault.EMPTY}


def test_a_pdf_without_its_table_of_objects_is_rebuilt() -> None:
    whole = a_pdf("Still here")
    assert extract(whole[: whole.index(b"xref")] + whole[whole.index(b"trailer") :]).text == "Still here"


def test_a_page_that_cannot_be_read_does_not_take_the_others_with_it() -> None:
    broken = a_pdf("One", "Two", "Three").replace(b"6 0 R", b"99 0 R", 1)
    assert "One" in extract(broken).text
    assert "Three" in extract(broken).text
