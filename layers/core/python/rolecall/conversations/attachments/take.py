"""The files of a new message: read and checked before anything is stored, so that a bad one costs nothing."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Final
from uuid import UUID, uuid4

from rolecall.conversations.attachments import fetch
from rolecall.conversations.attachments.fetch import Found, Trouble
from rolecall.conversations.attachments.models import Attachment, AttachmentFailed, failed, together
from rolecall.conversations.attachments.types import MESSAGE_BYTES, TYPES, size_in_words
from rolecall.identity import Caller
from rolecall.knowledge.clean import display_name
from rolecall.knowledge.faults import UnreadableDocument
from rolecall.llm.contract.documents import MAX_DOCUMENT_BYTES
from rolecall.llm.document_names import legal_document_name
from rolecall.protocol.requests import AttachmentRef
from rolecall.telemetry import log

_TROUBLES: Final[dict[Trouble, tuple[str, str]]] = {
    Trouble.MISSING: ("The file is no longer there.", "Attach it again."),
    Trouble.TOO_LARGE: (
        f"The file is larger than {size_in_words(MAX_DOCUMENT_BYTES)}.",
        "Make it smaller, or split it, and attach it again.",
    ),
    Trouble.UNAVAILABLE: ("The file could not be read at the moment.", "Send the message again in a minute."),
}


@dataclass(frozen=True, slots=True)
class Taken:
    """Files that may be sent, in their order, and the bytes of each by its id."""

    files: list[Attachment] = field(default_factory=list)
    held: dict[UUID, bytes] = field(default_factory=dict)


def take(bucket: str, caller: Caller, refs: Sequence[AttachmentRef]) -> Taken:
    """Read and check the files that a message names; one that is named twice counts once.

    Raises:
        AttachmentFailed: naming each file that cannot be sent, why, and what to do.
    """
    taken, errors = Taken(), list[AttachmentFailed]()
    wanted = list({ref.key: ref for ref in refs}.values())
    found = fetch.fetch(bucket, caller, [ref.key for ref in wanted]) if wanted else {}
    for position, ref in enumerate(wanted):
        try:
            file, data = _checked(ref, position, found[ref.key])
        except AttachmentFailed as error:
            errors.append(error)
        else:
            taken.files.append(file)
            taken.held[file.id] = data
    if errors:
        log.info("attachments refused", extra={"files": len(wanted), "refused": len(errors)})
        raise together(errors)
    _check_together(taken.files)
    return taken


def named(files: Iterable[Attachment], earlier: Iterable[Attachment]) -> list[Attachment]:
    """Give documents the names that they keep in model requests, none of which an earlier file has."""
    used = {file.document_name.lower() for file in earlier if file.document_name}
    return [
        replace(file, document_name=legal_document_name(file.filename, used))
        if (type_ := file.type) and type_.kind == "document"
        else file
        for file in files
    ]


def _checked(ref: AttachmentRef, position: int, found: Found) -> tuple[Attachment, bytes]:
    name = display_name(ref.filename)
    if isinstance(found, Trouble):
        raise failed(name, *_TROUBLES[found])
    from rolecall.conversations.attachments.inspect import real_type  # lazily: most messages have no files

    key, data = found
    try:
        mime = real_type(data, name, ref.mime_type.lower())
    except UnreadableDocument as error:
        raise failed(name, error.message, error.recovery_hint) from error
    if mime != ref.mime_type.lower():
        log.info("attachment's type corrected", extra={"declared": ref.mime_type in TYPES, "real": mime})
    return Attachment(uuid4(), position, key, name, mime, len(data)), data


def _check_together(files: Sequence[Attachment]) -> None:
    total = sum(file.size_bytes for file in files)
    if total > MESSAGE_BYTES:
        raise AttachmentFailed(
            f"The files have {size_in_words(total)} together; {size_in_words(MESSAGE_BYTES)} are allowed in a message.",
            hint="Send some of them in a message of their own.",
        )
