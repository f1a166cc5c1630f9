"""Documents and images: how many, how large, and names that are legal and unique in the whole request."""

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rolecall.llm.contract.reading import Reading
from rolecall.llm.contract.violation import Violation
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
_FILES: Final = {"document": (DOCUMENT_FORMATS, MAX_DOCUMENT_BYTES), "image": (IMAGE_FORMATS, MAX_IMAGE_BYTES)}


def check(reading: Reading) -> Iterator[Violation]:
    """Yield what is wrong with attached files, those in tool results included."""
    parts = [(path, block) for path, _, block in reading.blocks] + list(reading.parts)
    documents = [(f"{path}.document", part["document"]) for path, part in parts if "document" in part]
    images = [(f"{path}.image", part["image"]) for path, part in parts if "image" in part]
    if len(documents) > MAX_DOCUMENTS:
        message = f"The request holds {len(documents)} documents. The limit is {MAX_DOCUMENTS}."
        yield Violation("messages", "too_many_documents", message)
    if len(images) > MAX_IMAGES:
        message = f"The request holds {len(images)} images. The limit is {MAX_IMAGES}."
        yield Violation("messages", "too_many_images", message)
    yield from _names(documents)
    for path, owner, block in reading.blocks:
        if owner["role"] != "user" and block.keys() & {"document", "image"}:
            yield Violation(path, "file_role", f"The block at {path}: images and documents are only for user messages.")
    for kind, files in (("document", documents), ("image", images)):
        for path, file in files:
            yield from _file(path, kind, file)
    if documents:
        yield from _text_beside(reading)


def _names(documents: list[tuple[str, Mapping[str, Any]]]) -> Iterator[Violation]:
    seen: set[str] = set()
    for path, document in documents:
        name = document["name"]
        if not is_legal_name(name):
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


def _file(path: str, kind: str, file: Mapping[str, Any]) -> Iterator[Violation]:
    formats, limit = _FILES[kind]
    if file.get("format") not in formats:
        message = f"The value at {path}.format must be one of {', '.join(sorted(formats))}."
        yield Violation(f"{path}.format", "file_format", message)
    source = file["source"]
    if "bytes" not in source:
        return  # an S3 location or plain text: the service judges it
    size = len(source["bytes"])
    if not 0 < size <= limit:
        message = f"The file at {path} has {size} bytes; it must have between 1 and {limit}."
        yield Violation(f"{path}.source.bytes", "file_size", message)


def is_legal_file(kind: str, file: Mapping[str, Any]) -> bool:
    """Say whether an `image` or a `document` has a format and a size that are taken."""
    return next(_file("", kind, file), None) is None


def is_legal_name(name: str) -> bool:
    """Say whether a document may carry this name, as far as the name itself goes."""
    return len(name) <= MAX_NAME_LENGTH and NAME.fullmatch(name) is not None


def _text_beside(reading: Reading) -> Iterator[Violation]:
    for i, message in enumerate(reading.messages):
        content = message.get("content") or []
        results = [part for block in content for part in block.get("toolResult", {}).get("content") or []]
        beside = any(is_readable(block) for block in content)
        inside = any(is_readable(part) for part in results)
        unread = any("document" in block for block in content) and not beside
        unread_result = any("document" in part for part in results) and not (inside or beside)
        if unread or unread_result:
            text = f"A text block must be included when using documents, at messages.{i}.content."
            yield Violation(f"messages.{i}.content", "text_with_document", text)


def is_readable(block: Mapping[str, Any]) -> bool:
    """Say whether a block is text that stands for itself."""
    return "text" in block and not is_blank(block["text"])
