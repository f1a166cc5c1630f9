"""Cuts a text into chunks: exact spans of it, ended where a reader would pause."""

import hashlib
import re
from collections.abc import Iterator
from itertools import groupby
from typing import Final
from uuid import uuid5

from rolecall.knowledge.extract.blocks import Extracted
from rolecall.knowledge.models import Chunk, DocumentId
from rolecall.text import pieces

CHARACTERS_PER_TOKEN: Final = 4
TARGET_TOKENS: Final = 350
OVERLAP_TOKENS: Final = 50
SEPARATORS: Final = ("\n\n", "\n", ". ", " ")
BANNER_CHARACTERS: Final = 400
_ENDING: Final = re.compile(r"\.[A-Za-z0-9]{1,5}\Z")

Range = tuple[int, int]


def tokens(text: str) -> int:
    """Estimate the tokens of a text."""
    return -(-len(text) // CHARACTERS_PER_TOKEN)


def chunk(
    extracted: Extracted,
    *,
    document_id: DocumentId,
    version: str,
    title: str,
    target: int = TARGET_TOKENS,
    overlap: int = OVERLAP_TOKENS,
) -> list[Chunk]:
    """Cut into chunks of at most `target` tokens that overlap by at most `overlap`.

    No chunk crosses a page or a heading, so that its source can be named exactly. Ids follow from document, version
    (the content's hash) and place.
    """
    made: list[Chunk] = []
    for region in _regions(extracted):
        for start, end in _cut(extracted.text, region, target * CHARACTERS_PER_TOKEN, overlap * CHARACTERS_PER_TOKEN):
            made.append(_chunk(extracted, start, end, len(made), document_id, version, title))
    return made


def _chunk(
    extracted: Extracted, start: int, end: int, index: int, document_id: DocumentId, version: str, title: str
) -> Chunk:
    content = extracted.text[start:end]
    first, last = extracted.at(start), extracted.at(end - 1)
    banner = banner_of(title, last.section)
    return Chunk(
        id=uuid5(document_id, f"{version}:{index}"),
        index=index,
        content=content,
        content_hash=hashlib.sha256(f"{banner}\0{content}".encode()).hexdigest(),
        banner=banner,
        section=last.section,
        page_from=first.page,
        page_to=last.page,
        char_from=start,
        char_to=end,
        token_count=tokens(content),
    )


def banner_of(title: str, section: str | None) -> str:
    """Say what a chunk is part of: the title, or the file's name without its ending, and the headings."""
    return " > ".join(filter(None, (_ENDING.sub("", title), section)))[:BANNER_CHARACTERS]


def _regions(extracted: Extracted) -> Iterator[Range]:
    """Yield runs of one page and section. A heading with nothing under it joins its first sub-section."""
    runs = [
        (key, spans[0].char_from, spans[-1].char_to)
        for key, group in groupby(extracted.spans, key=lambda span: (span.page, span.section))
        if (spans := list(group))
    ]
    start: int | None = None
    for at, (key, first, end) in enumerate(runs):
        start = first if start is None else start
        if at + 1 < len(runs) and _is_bare_heading(key, extracted.text[first:end], runs[at + 1][0]):
            continue
        yield start, end
        start = None


def _is_bare_heading(key: tuple[int | None, str | None], text: str, following: tuple[int | None, str | None]) -> bool:
    (page, section), (next_page, next_section) = key, following
    below = bool(section) and (next_section or "").startswith(f"{section} > ")
    return below and page == next_page and "\n" not in text and len(text) <= 200


def _cut(text: str, region: Range, target: int, overlap: int) -> Iterator[Range]:
    """Take as much as fits, back to the best place to stop; the next chunk begins up to `overlap` before it."""
    start, end = region
    while end - start > target:
        stop = _stop(text, start, start + target)
        yield from _stripped(text, start, stop)
        start = _restart(text, max(stop - overlap, start + 1), stop)
    yield from _stripped(text, start, end)


def _stop(text: str, start: int, limit: int) -> int:
    """Find where to end: after the last separator in the second half, the coarsest kind that occurs there."""
    half = start + (limit - start) // 2
    for separator in SEPARATORS:
        at = text.rfind(separator, half, limit)
        if at >= 0:
            return at + len(separator)
    return start + len(pieces(text[start : 2 * limit - start], limit - start)[0])


def _restart(text: str, earliest: int, stop: int) -> int:
    """Find where the next chunk begins: at a line, a sentence or a word, and never in the middle of one."""
    for separator in SEPARATORS[1:]:
        at = text.find(separator, earliest, stop)
        if at >= 0 and at + len(separator) < stop:
            return at + len(separator)
    return stop


def _stripped(text: str, start: int, end: int) -> Iterator[Range]:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    if start < end:
        yield start, end
