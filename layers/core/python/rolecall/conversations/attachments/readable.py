"""The text of a document, for a model that takes no documents."""

import time
from typing import Final

from rolecall.conversations.attachments.models import Attachment
from rolecall.conversations.attachments.types import TEXTS
from rolecall.knowledge.faults import UnreadableDocument
from rolecall.telemetry import log

TEXT_CHARACTERS: Final = 60_000
_SECONDS: Final = 15.0
_MEMORY_BYTES: Final = 768 * 1024 * 1024


def readable(file: Attachment, data: bytes) -> str | None:
    """Return a document's text, cut where it is too long; None where it cannot be read here."""
    try:
        text = utf8(data).decode() if file.mime_type in TEXTS else _extracted(file, data)
    except UnreadableDocument as error:
        log.info("attachment has no text", extra={"type": file.mime_type, "reason": str(error.reason)})
        return None
    if len(text) <= TEXT_CHARACTERS:
        return text
    return f"{text[:TEXT_CHARACTERS]}\n[cut here: {len(text) - TEXT_CHARACTERS} characters more]"


def utf8(data: bytes) -> bytes:
    """Return a file of text as models read it.

    Raises:
        UnreadableDocument: the bytes are no text in any encoding.
    """
    from rolecall.conversations.attachments.inspect import text_of

    return text_of(data).encode()


def _extracted(file: Attachment, data: bytes) -> str:
    from rolecall.knowledge.extract import apart, extract

    reader = apart.reader(time.monotonic() + _SECONDS, lambda: None, memory=_MEMORY_BYTES)
    return extract(data, filename=file.filename, mime_type=file.mime_type, binary_reader=reader).text
