"""From a file's bytes to its text: one reader a format, chosen by what the bytes are."""

from collections.abc import Callable
from typing import Final

from rolecall.knowledge.extract.blocks import Block, Extracted, Read, assemble
from rolecall.knowledge.extract.decode import decode
from rolecall.knowledge.extract.kinds import Kind, of_bytes, of_text
from rolecall.knowledge.faults import Fault, UnreadableDocument

__all__ = ["BinaryReader", "Block", "Extracted", "Kind", "extract", "read_binary"]


BinaryReader = Callable[[Kind, bytes], Read]


def read_binary(kind: Kind, data: bytes) -> Read:
    """Read a PDF or DOCX in this process."""
    return _BINARY[kind](data)


def extract(
    data: bytes, *, filename: str = "", mime_type: str = "", binary_reader: BinaryReader = read_binary
) -> Extracted:
    """Read a file.

    Args:
        data: The whole file; nothing is written to disk.
        filename: Tells kinds of text apart, and nothing else.
        mime_type: The declared type, believed where neither bytes nor name say more.
        binary_reader: What reads formats whose readers are native code; `apart.reader` does it in a child process.

    Raises:
        UnreadableDocument: with the reason, in words for the person who uploaded it.
    """
    kind = of_bytes(data)
    if kind is None:
        text = decode(data)
        kind = of_text(text, filename, mime_type)
        read = _TEXTUAL[kind](text)
    else:
        read = binary_reader(kind, data)
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
