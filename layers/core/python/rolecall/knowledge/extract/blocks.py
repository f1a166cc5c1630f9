"""What a reader makes of a file: blocks of text, joined into one text in which every place has an address."""

from bisect import bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field

from rolecall.knowledge.clean import clean, line

SECTION_CHARACTERS = 500
_BETWEEN = "\n\n"


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph, a row of a table, a page: text with the page (from 1) and the heading path it stands under."""

    text: str
    page: int | None = None
    section: str | None = None


@dataclass(frozen=True, slots=True)
class Span:
    """Where a block lies in the joined text."""

    char_from: int
    char_to: int
    page: int | None
    section: str | None


@dataclass(frozen=True, slots=True)
class Read:
    """What a reader returns: blocks in reading order."""

    blocks: list[Block]
    title: str | None = None
    page_count: int | None = None


@dataclass(frozen=True)
class Extracted:
    """A file's text, clean, with the spans it was joined from."""

    text: str
    spans: list[Span]
    title: str | None = None
    page_count: int | None = None
    mime_type: str = "text/plain"
    """What the bytes are, whatever the name says."""
    _starts: list[int] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_starts", [span.char_from for span in self.spans])

    def at(self, char: int) -> Span:
        """Return the span that a character belongs to."""
        return self.spans[max(bisect_right(self._starts, char) - 1, 0)]


def assemble(read: Read, mime_type: str) -> Extracted:
    """Clean the blocks and join them; the offsets are those of the result."""
    parts: list[str] = []
    spans: list[Span] = []
    at = 0
    for text, block in _cleaned(read.blocks):
        if parts:
            parts.append(_BETWEEN)
            at += len(_BETWEEN)
        section = line(block.section, SECTION_CHARACTERS) if block.section else None
        spans.append(Span(at, at + len(text), block.page, section or None))
        parts.append(text)
        at += len(text)
    title = line(read.title, SECTION_CHARACTERS) if read.title else None
    return Extracted("".join(parts), spans, title or None, read.page_count, mime_type)


def _cleaned(blocks: Iterable[Block]) -> Iterable[tuple[str, Block]]:
    for block in blocks:
        text = clean(block.text)
        if text:
            yield text, block
