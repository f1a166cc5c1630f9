"""Documents in a request: their text, for the offline model to quote from, with the name of each."""

import re
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any, Final

from local.bedrock.offline import quoting
from rolecall.knowledge.extract import apart, extract
from rolecall.knowledge.faults import UnreadableDocument

_MARK: Final = re.compile(r"\A\[(?:Attached|Previously attached)\b[^\n]*(?:\n\[[^\n]*)*\Z")
"""A block of the platform's that names files."""
_SECONDS: Final = 10.0
_WHAT: Final = "What does the document say?"


@dataclass
class Files:
    """The files of a request, those of the newest message last."""

    texts: list[tuple[str, str]] = field(default_factory=list)
    """(name, text) of documents that can be read here."""
    unread: list[str] = field(default_factory=list)
    """Names of documents of the newest message that cannot, and its pictures."""


def names_files(text: str) -> bool:
    """Say whether a text block is the platform's, about files, and not what the user typed."""
    return bool(_MARK.match(text))


def read_files(messages: list[dict[str, Any]], newest: int) -> Files:
    """Read the documents of the messages up to the newest of the user's."""
    files = Files()
    for at, message in enumerate(messages[: newest + 1]):
        for name, text in _documents(message["content"]):
            if text:
                files.texts.append((name, text))
            elif at == newest:
                files.unread.append(name)
        pictures = sum("image" in block for block in message["content"])
        files.unread += ["an image"] * (pictures if at == newest else 0)
    return files


def quoted(question: str, files: Files, *, share: float = 0.0) -> str | None:
    """Answer from the documents, the newest first; None where none shares as much of the question."""
    newest_first = files.texts[::-1]
    found = quoting.best(question or _WHAT, [(at, text) for at, (_, text) in enumerate(newest_first)])
    near = [quote for quote in found if quote.share >= share]
    return "\n".join(f"“{quote.sentence}” (from “{newest_first[quote.number][0]}”)" for quote in near) or None


def _documents(content: Iterable[dict[str, Any]]) -> Iterator[tuple[str, str]]:
    for block in content:
        if "document" in block:
            document = block["document"]
            data = document.get("source", {}).get("bytes", b"")
            yield document["name"], _text(data, str(document["format"]))


@lru_cache(maxsize=64)
def _text(data: bytes, kind: str) -> str:
    reader = apart.reader(time.monotonic() + _SECONDS, lambda: None)
    try:
        return extract(data, filename=f"x.{kind}", binary_reader=reader).text
    except UnreadableDocument:
        return ""
