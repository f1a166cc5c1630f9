"""Sources of an answer in one shape for store, stream and reply, and the block that puts them before the model."""

import re
from collections.abc import Sequence
from typing import Any, Final
from uuid import UUID

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from rolecall.knowledge.clean import line
from rolecall.knowledge.models import Passage

SNIPPET_CHARACTERS: Final = 280
_FENCE: Final = re.compile(r"[\[\uff3b\u3010]\s*(/?)\s*(?=context\b)", re.IGNORECASE)
_NUMBER: Final = re.compile(r"^(?=[ \t]*\[\d+\])", re.MULTILINE)
_BRACKETS: Final = str.maketrans("[]{}<>()", "        ")
_LABEL_CHARACTERS: Final = 200


class Source(BaseModel):
    """Where an answer's `[n]` comes from. Offsets count characters of the document's extracted text."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    n: int
    document_id: UUID
    chunk_id: UUID
    filename: str
    page: int | None = None
    page_to: int | None = None
    section: str | None = None
    char_from: int
    char_to: int
    score: float
    vector_score: float
    text_score: float
    snippet: str

    def wire(self) -> dict[str, Any]:
        """Render for a frame, a row or a reply."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


def sources_of(passages: Sequence[Passage], *, first: int = 1) -> list[Source]:
    """Number passages as sources, from `first` on."""
    return [_source(n, passage) for n, passage in enumerate(passages, start=first)]


def _source(n: int, passage: Passage) -> Source:
    text = " ".join(passage.content.split())
    snippet = text if len(text) <= SNIPPET_CHARACTERS else text[: SNIPPET_CHARACTERS - 1].rstrip() + "…"
    return Source(
        n=n,
        document_id=passage.document_id,
        chunk_id=passage.chunk_id,
        filename=passage.filename,
        page=passage.page_from,
        page_to=passage.page_to,
        section=passage.section,
        char_from=passage.char_from,
        char_to=passage.char_to,
        score=round(passage.score, 4),
        vector_score=round(passage.vector_score, 4),
        text_score=round(passage.text_score, 4),
        snippet=snippet,
    )


def context_block(passages: Sequence[Passage], *, delimiter: str, first: int = 1) -> str:
    """Write passages for the user message, fenced so that no text of theirs can end the block.

    The shape, `delimiter` being random for each request (`secrets.token_hex(8)`)::

        [context DELIMITER]
        [1] (handbook.pdf · page 3 · Leave > Parental)
        text …

        [2] (notes.md · Plans)
        text …
        [/context DELIMITER]

    Returns:
        The block, or nothing where there are no passages.
    """
    if not passages:
        return ""
    parts = [f"[{n}] ({label(passage)})\n{defused(passage.content)}" for n, passage in enumerate(passages, first)]
    return f"[context {delimiter}]\n" + "\n\n".join(parts) + f"\n[/context {delimiter}]"


def label(passage: Passage) -> str:
    """Name a passage's place: file, page, headings; without anything that could be taken for a fence."""
    page = None
    if passage.page_from is not None:
        last = passage.page_to or passage.page_from
        page = f"page {passage.page_from}" if last == passage.page_from else f"pages {passage.page_from}-{last}"
    return " · ".join(filter(None, (_plain(passage.filename), page, _plain(passage.section or ""))))


def defused(text: str) -> str:
    """Make look-alikes of the fence, and of a passage's number at a line's start, ordinary text."""
    return _NUMBER.sub("| ", _FENCE.sub(r"(\1", text))


def _plain(text: str) -> str:
    return line(text.translate(_BRACKETS), _LABEL_CHARACTERS)
