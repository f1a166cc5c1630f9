"""From a file's bytes to its text: one reader a format, chosen by what the bytes are."""

from collections.abc import Callable
from typing import Final

from rolecall.knowledge.extract.blocks import Block, Extracted, Read, assemble
from rolecall.knowledge.extract.decode import decode
from rolecall.knowledge.extract.kinds import Kind, of_bytes, of_text
from rolecall.knowledge.faults import Fault, UnreadableDocument

__all__ = ["Block", "Extracted", "Kind", "extract"]


def extract(data: bytes, *, filename: str = "", mime_type: str = "") -> Extracted:
    """Read a file.

    Args:
        data: The whole file; nothing is written to disk.
        filename: Tells kinds of text apart, and nothing else.
        mime_type: The declared type, believed where neither bytes nor name say more.

    Raises:
        UnreadableDocument: with the reason, in words for the person who uploaded it.
    """
    kind = of_bytes(data)
    read = _BINARY[kind](data) if kind else None
    if read is None:
        text = decode(data)
        kind = of_text(text, filename, mime_type)
        read = _TEXTUAL[kind](text)
    extracted = assemble(read, str(kind))
    if not extracted.text:
        raise UnreadableDocument(Fault.EMPTY, "There is no text in this file.")
    return extracted


def _pdf(data: bytes) -> Read:
    from rolecall.knowledge.extract import pdf

    return pdf.read(data)


def _docx(data: bytes) -> Read:
    from rolecall.knowledge.extract import docx

    return docx.read(data)


def _html(text: str) -> Read:
    from rolecall.knowledge.extract import html

    return html.read(text)


def _text(name: str) -> Callable[[str], Read]:
    def read(text: str) -> Read:
        from rolecall.knowledge.extract import text as module

        reader: Callable[[str], Read] = getattr(module, name)
        return reader(text)

    return read


_BINARY: Final[dict[Kind, Callable[[bytes], Read]]] = {Kind.PDF: _pdf, Kind.DOCX: _docx}
_TEXTUAL: Final[dict[Kind, Callable[[str], Read]]] = {
    Kind.HTML: _html,
    Kind.MARKDOWN: _text("read_markdown"),
    Kind.CSV: _text("read_csv"),
    Kind.TEXT: _text("read_text"),
}
