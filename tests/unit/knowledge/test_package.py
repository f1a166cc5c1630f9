import io
import resource
import zipfile

import pytest

from rolecall.knowledge.extract import extract
from rolecall.knowledge.extract.package import MAX_ENTRIES, Package
from rolecall.knowledge.faults import Fault, UnreadableDocument
from tests.unit.knowledge.files import W, a_docx, a_zip, p

BOMB = f"<w:document {W}><w:body><w:p><w:r><w:t>".encode() + b"a" * (200 << 20)


def fault_of(data: bytes) -> UnreadableDocument:
    with pytest.raises(UnreadableDocument) as caught:
        extract(data, filename="cv.docx")
    return caught.value


@pytest.fixture(scope="module")
def bomb() -> bytes:
    return a_zip({"word/document.xml": BOMB})


def test_a_bomb_is_refused_without_being_unpacked(bomb: bytes) -> None:
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    fault = fault_of(bomb)
    assert fault.reason is Fault.TOO_LARGE
    assert "unpacked" in fault.message
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 100 * 1024


def test_a_bomb_that_lies_about_its_size_is_refused(bomb: bytes) -> None:
    lying = bytearray(bomb)
    at = bomb.rindex(b"PK\x01\x02")
    lying[at + 24 : at + 28] = (1000).to_bytes(4, "little")
    assert fault_of(bytes(lying)).reason in {Fault.TOO_LARGE, Fault.CORRUPT}


def test_very_many_parts_are_refused() -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as package:
        for at in range(MAX_ENTRIES + 1):
            package.writestr(f"word/{at}", b"")
    assert fault_of(buffer.getvalue()).reason is Fault.TOO_LARGE


def test_an_ordinary_repetitive_document_is_no_bomb() -> None:
    assert len(extract(a_docx(p("The same sentence again. ") * 50_000)).text) > 1_000_000


def test_a_part_that_is_not_there_is_none() -> None:
    assert Package(a_zip({"a": "b"})).read("c") is None


def test_an_encrypted_part_is_reported_as_such() -> None:
    data = bytearray(a_docx(p("x")))
    for magic, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = data.index(magic)
        data[at + offset] |= 1
    assert fault_of(bytes(data)).reason is Fault.ENCRYPTED
