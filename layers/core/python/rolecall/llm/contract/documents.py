"""Documents and images: how many, how large, and names that are legal and unique in the whole request."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rolecall.llm.contract.violation import Violation, messages_of, walk, walk_results
from rolecall.llm.text import is_blank

MAX_DOCUMENTS: Final = 5
MAX_IMAGES: Final = 20
MAX_DOCUMENT_BYTES: Final = 4_500_000
MAX_IMAGE_BYTES: Final = 3_932_160
"""3.75 MiB, which is Anthropic's 5 MiB once it is base64."""

NAME: Final = re.compile(r"[A-Za-z0-9\-()\[\]]+( [A-Za-z0-9\-()\[\]]+)*")
MAX_NAME_LENGTH: Final = 200
DOCUMENT_FORMATS: Final = frozenset({"pdf", "csv", "doc", "docx", "xls", "xlsx", "html", "txt", "md"})
IMAGE_FORMATS: Final = frozenset({"png", "jpeg", "gif", "webp"})


def check(request: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what is wrong with attached files, those in tool results included."""
    parts = [(path, block) for path, _, block in walk(request)] + list(walk_results(request))
    documents = [(f"{path}.document", part["document"]) for path, part in parts if "document" in part]
    images = [(f"{path}.image", part["image"]) for path, part in parts if "image" in part]
    if len(documents) > MAX_DOCUMENTS:
        message = f"The request holds {len(documents)} documents. The limit is {MAX_DOCUMENTS}."
        yield Violation("messages", "too_many_documents", message)
    if len(images) > MAX_IMAGES:
        message = f"The request holds {len(images)} images. The limit is {MAX_IMAGES}."
        yield Violation("messages", "too_many_images", message)
    yield from _names(documents)
    for path, document in documents:
        yield from _file(path, document, DOCUMENT_FORMATS, MAX_DOCUMENT_BYTES)
    for path, image in images:
        yield from _file(path, image, IMAGE_FORMATS, MAX_IMAGE_BYTES)
    yield from _text_beside(request)


def _names(documents: list[tuple[str, Mapping[str, Any]]]) -> Iterator[Violation]:
    seen: set[str] = set()
    for path, document in documents:
        name = document.get("name")
        if not isinstance(name, str) or len(name) > MAX_NAME_LENGTH or not NAME.fullmatch(name):
            yield Violation(
                f"{path}.name",
                "document_name",
                "The document file name can only contain alphanumeric characters, whitespace characters, hyphens, "
                "parentheses, and square brackets. The name can't contain more than one consecutive whitespace "
                "character.",
            )
            continue
        if name.lower() in seen:
            message = "Messages can't contain duplicate document names."
            yield Violation(f"{path}.name", "duplicate_document", message)
        seen.add(name.lower())


def _file(path: str, file: Mapping[str, Any], formats: frozenset[str], limit: int) -> Iterator[Violation]:
    if file.get("format") not in formats:
        message = f"The value at {path}.format must be one of {', '.join(sorted(formats))}."
        yield Violation(f"{path}.format", "file_format", message)
    source = file.get("source", {})
    if "bytes" not in source:
        return  # an S3 location or plain text: the service judges it
    size = len(source["bytes"])
    if not 0 < size <= limit:
        message = f"The file at {path} has {size} bytes; it must have between 1 and {limit}."
        yield Violation(f"{path}.source.bytes", "file_size", message)


def _text_beside(request: Mapping[str, Any]) -> Iterator[Violation]:
    for i, message in enumerate(messages_of(request)):
        content = message.get("content") or []
        results = [part for block in content for part in block.get("toolResult", {}).get("content") or []]
        beside = any(_readable(block) for block in content)
        inside = any(_readable(part) for part in results)
        unread = any("document" in block for block in content) and not beside
        unread_result = any("document" in part for part in results) and not (inside or beside)
        if unread or unread_result:
            text = f"A text block must be included when using documents, at messages.{i}.content."
            yield Violation(f"messages.{i}.content", "text_with_document", text)


def _readable(block: Mapping[str, Any]) -> bool:
    return isinstance(block.get("text"), str) and not is_blank(block["text"])
