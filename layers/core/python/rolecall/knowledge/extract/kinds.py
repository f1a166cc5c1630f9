"""What a file is, told by its bytes. Its name and declared type only decide between kinds of text."""

from enum import StrEnum
from typing import Final

from rolecall.knowledge.extract.package import Package
from rolecall.knowledge.faults import Fault, UnreadableDocument


class Kind(StrEnum):
    """The kinds that we read, by their MIME type."""

    PDF = "application/pdf"
    DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    HTML = "text/html"
    MARKDOWN = "text/markdown"
    CSV = "text/csv"
    TEXT = "text/plain"


_FOREIGN: Final[tuple[tuple[bytes, str], ...]] = (
    (b"\x89PNG\r\n\x1a\n", "a picture (PNG)"),
    (b"\xff\xd8\xff", "a picture (JPEG)"),
    (b"GIF87a", "a picture (GIF)"),
    (b"GIF89a", "a picture (GIF)"),
    (b"II*\x00", "a picture (TIFF)"),
    (b"MM\x00*", "a picture (TIFF)"),
    (b"{\\rtf", "an RTF file"),
    (b"\x1f\x8b", "an archive (gzip)"),
    (b"7z\xbc\xaf\x27\x1c", "an archive (7z)"),
    (b"Rar!\x1a\x07", "an archive (RAR)"),
    (b"BZh", "an archive (bzip2)"),
    (b"\xfd7zXZ\x00", "an archive (xz)"),
    (b"\x28\xb5\x2f\xfd", "an archive (zstd)"),
    (b"MZ", "a program"),
    (b"\x7fELF", "a program"),
    (b"OggS", "a sound or video file"),
    (b"ID3", "a sound file"),
    (b"fLaC", "a sound file"),
    (b"SQLite format 3\x00", "a database"),
    (b"%!PS", "a PostScript file"),
)
_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_OLE_STREAMS: Final[tuple[tuple[str, str], ...]] = (
    ("WordDocument", "an old Word document (.doc)"),
    ("Workbook", "an old Excel workbook (.xls)"),
    ("Book", "an old Excel workbook (.xls)"),
    ("PowerPoint Document", "an old PowerPoint presentation (.ppt)"),
    ("__nameid_version1.0", "an Outlook message"),
)
_PACKAGES: Final[tuple[tuple[str, str], ...]] = (
    ("xl/", "an Excel workbook (.xlsx)"),
    ("ppt/", "a PowerPoint presentation (.pptx)"),
    ("Index/Document.iwa", "a Pages, Numbers or Keynote document"),
    ("META-INF/container.xml", "an e-book (EPUB)"),
    ("content.xml", "an OpenDocument file"),
)
_HINTS: Final = {
    "an old Word document (.doc)": "Save it as .docx and upload that.",
    "an Excel workbook (.xlsx)": "Save the sheet as CSV and upload that.",
    "an old Excel workbook (.xls)": "Save the sheet as CSV and upload that.",
}
_BY_EXTENSION: Final = {
    "html": Kind.HTML,
    "htm": Kind.HTML,
    "xhtml": Kind.HTML,
    "md": Kind.MARKDOWN,
    "markdown": Kind.MARKDOWN,
    "csv": Kind.CSV,
    "tsv": Kind.CSV,
    "xls": Kind.CSV,
    "xlsx": Kind.CSV,
}
_WORKBOOKS: Final = frozenset({"xls", "xlsx"})
_TEXT_KINDS: Final = frozenset({Kind.HTML, Kind.MARKDOWN, Kind.CSV})
_HEAD: Final = 1024


def of_bytes(data: bytes) -> Kind | None:
    """Return the kind that the bytes prove, None for text of some kind.

    Raises:
        UnreadableDocument: empty, encrypted, damaged, or of a type that we do not read.
    """
    if not data:
        raise UnreadableDocument(Fault.EMPTY, "This file is empty.")
    head = data[:_HEAD]
    if b"%PDF-" in head:
        return Kind.PDF
    if head.startswith(_OLE):
        raise _ole_fault(data)
    if head.startswith((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08")):
        return _packaged(data)
    name = _foreign(head)
    if name:
        raise unsupported(name)
    return None


def of_text(text: str, filename: str, mime_type: str) -> Kind:
    """Tell kinds of text apart: by how it begins, then by the name, then by the declared type.

    Raises:
        UnreadableDocument: it says it is a workbook, and has no columns.
    """
    start = text[:_HEAD].lstrip().lower()
    if start.startswith(("<!doctype html", "<html")) or (start.startswith("<?xml") and "<html" in start):
        return Kind.HTML
    extension = filename.rpartition(".")[2].lower()
    kind = _BY_EXTENSION.get(extension)
    if extension in _WORKBOOKS and not any(delimiter in text for delimiter in "\t,;|"):
        raise UnreadableDocument(Fault.CORRUPT, "This is neither a workbook nor a table.")
    if kind is None and mime_type in _TEXT_KINDS:
        return Kind(mime_type)
    return kind or Kind.TEXT


def unsupported(what: str) -> UnreadableDocument:
    """Build the error for a file that is something we do not read."""
    return UnreadableDocument(
        Fault.UNSUPPORTED, f"This is {what}. Such files cannot be read yet.", hint=_HINTS.get(what)
    )


def _foreign(head: bytes) -> str | None:
    if head[:4] == b"RIFF":
        return "a picture (WebP)" if head[8:12] == b"WEBP" else "a sound or video file"
    if head[:2] == b"BM" and head[6:10] == b"\0\0\0\0":
        return "a picture (BMP)"
    if head[4:8] == b"ftyp":
        return "a video, or a picture of a phone (HEIC)"
    return next((name for magic, name in _FOREIGN if head.startswith(magic)), None)


def _ole_fault(data: bytes) -> UnreadableDocument:
    if "EncryptedPackage".encode("utf-16-le") in data:
        return UnreadableDocument(Fault.ENCRYPTED)
    found = (name for stream, name in _OLE_STREAMS if (stream + "\0").encode("utf-16-le") in data)
    name = next(found, None)
    return unsupported(name) if name else UnreadableDocument(Fault.CORRUPT)


def _packaged(data: bytes) -> Kind:
    names = Package(data).names
    if any(name.startswith("word/") for name in names):
        return Kind.DOCX
    raise unsupported(
        next((what for start, what in _PACKAGES if any(name.startswith(start) for name in names)), "an archive (zip)")
    )
