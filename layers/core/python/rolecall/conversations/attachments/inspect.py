"""What an attached file really is, by its bytes, and whether a model can be given it."""

import re
import struct
from typing import Final

from rolecall.conversations.attachments.pictures import picture_type
from rolecall.conversations.attachments.types import DOC, TYPES, XLS, XLSX, size_in_words
from rolecall.knowledge.extract import kinds
from rolecall.knowledge.extract.decode import decode
from rolecall.knowledge.extract.kinds import Kind
from rolecall.knowledge.extract.package import Package
from rolecall.knowledge.faults import Fault, UnreadableDocument

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_ZIP: Final = b"PK\x03\x04"
_TAIL: Final = 4096
_ENCRYPTED_PDF: Final = re.compile(rb"/Encrypt\s*(?:\d+\s+\d+\s+R\b|<<)")
_CONTROLS: Final = re.compile("[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def real_type(data: bytes, filename: str, declared: str) -> str:
    """Return the MIME type that a file's bytes prove; name and declared type only tell kinds of text apart.

    Raises:
        UnreadableDocument: empty, locked, damaged, too large, or of a type that no model takes.
    """
    mime = picture_type(data) or _office(data) or _document(data, filename, declared)
    limit = TYPES[mime].limit
    if len(data) > limit:
        raise UnreadableDocument(
            Fault.TOO_LARGE,
            f"This file has {size_in_words(len(data))}; {size_in_words(limit)} are allowed"
            f" for {'a picture' if TYPES[mime].kind == 'image' else 'a document'}.",
            hint="Make it smaller, or split it, and attach it again.",
        )
    return mime


def text_of(data: bytes) -> str:
    """Decode a file of text.

    Raises:
        UnreadableDocument: the bytes are no text in any encoding.
    """
    try:
        return decode(data)
    except ImportError:  # what guesses encodings is in the layer of functions that read documents
        return _western(data)


def _western(data: bytes) -> str:
    text = data.decode("cp1252", "replace")
    if len(_CONTROLS.findall(text)) > max(2, len(text) // 50):
        raise UnreadableDocument(Fault.CORRUPT, "This is not a text file, or it is damaged.")
    return text


def _document(data: bytes, filename: str, declared: str) -> str:
    kind = kinds.of_bytes(data)
    if kind is None:
        return str(kinds.of_text(text_of(data), filename, declared))
    if kind is Kind.PDF:
        _check_pdf(data)
    elif kind is Kind.DOCX:
        _check_part(data, "word/document.xml")
    return str(kind)


def _check_pdf(data: bytes) -> None:
    end = data.rstrip(b"\0\r\n\t ")[-_TAIL:]
    if b"startxref" not in end and b"%%EOF" not in end:
        raise UnreadableDocument(Fault.CORRUPT, "This PDF is damaged or incomplete.")
    if _ENCRYPTED_PDF.search(data):
        raise UnreadableDocument(Fault.ENCRYPTED)


def _check_part(data: bytes, name: str) -> None:
    """Unpack a part within limits: it is there, whole, not locked, and no bomb."""
    if not Package(data).read(name):
        raise UnreadableDocument(Fault.CORRUPT)


def _office(data: bytes) -> str | None:
    """Recognise the workbooks and old Word documents that models take though our own reader does not."""
    if data.startswith(_ZIP):
        if "xl/workbook.xml" not in Package(data).names:
            return None
        _check_part(data, "xl/workbook.xml")
        return XLSX
    if not data.startswith(_OLE) or _names(data, "EncryptedPackage"):
        return None
    if _names(data, "WordDocument\0"):
        _check_unlocked(locked=data[512:514] == b"\xec\xa5" and bool(data[523] & 1))
        return DOC
    if _names(data, "Workbook\0") or _names(data, "Book\0"):
        _check_unlocked(locked=_asks_for_password(data))
        return XLS
    return None


def _names(data: bytes, stream: str) -> bool:
    return stream.encode("utf-16-le") in data


def _asks_for_password(data: bytes) -> bool:
    """Whether the record after a workbook's first one is FILEPASS."""
    if data[512:514] != b"\x09\x08" or len(data) < 1024:
        return False
    (length,) = struct.unpack_from("<H", data, 514)
    return data[516 + length : 518 + length] == b"\x2f\x00"


def _check_unlocked(*, locked: bool) -> None:
    if locked:
        raise UnreadableDocument(Fault.ENCRYPTED)
