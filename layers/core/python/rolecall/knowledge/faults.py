"""Why a document cannot be used, in codes that are stored and sentences that a person understands."""

from enum import StrEnum
from typing import Final

from rolecall.errors import ErrorCode, RolecallError


class Fault(StrEnum):
    """The `errorCode` of a FAILED document."""

    EMPTY = "EMPTY"
    ENCRYPTED = "ENCRYPTED"
    CORRUPT = "CORRUPT"
    UNSUPPORTED = "UNSUPPORTED"
    TOO_LARGE = "TOO_LARGE"
    NO_TEXT = "NO_TEXT"
    TIMEOUT = "TIMEOUT"
    MISSING = "MISSING"
    NOT_FINDABLE = "NOT_FINDABLE"
    UNAVAILABLE = "UNAVAILABLE"


MESSAGES: Final[dict[Fault, str]] = {
    Fault.EMPTY: "There is nothing in this file.",
    Fault.ENCRYPTED: "This file is protected by a password.",
    Fault.CORRUPT: "This file is damaged and cannot be opened.",
    Fault.UNSUPPORTED: "This type of file cannot be read.",
    Fault.TOO_LARGE: "This file is too large.",
    Fault.NO_TEXT: "There is no text in it; it looks like a scan.",
    Fault.TIMEOUT: "Reading this file took too long.",
    Fault.MISSING: "The file is no longer where it was uploaded to.",
    Fault.NOT_FINDABLE: "The document was read, but searching for its own text did not find it.",
    Fault.UNAVAILABLE: "The document could not be processed: a service that is needed for it did not answer.",
}

HINTS: Final[dict[Fault, str]] = {
    Fault.EMPTY: "Check that it is the right file, and upload it again.",
    Fault.ENCRYPTED: "Save a copy without the password and upload that.",
    Fault.CORRUPT: "Open it in the program it was made with, save it again, and upload the new file.",
    Fault.UNSUPPORTED: "Save it as PDF, DOCX, HTML, Markdown, CSV or plain text, and upload that.",
    Fault.TOO_LARGE: "Split it into smaller files and upload those.",
    Fault.NO_TEXT: "Run text recognition (OCR) on it and upload the result.",
    Fault.TIMEOUT: "Split it into smaller files and upload those.",
    Fault.MISSING: "Upload it again.",
    Fault.NOT_FINDABLE: "Upload it again. If it fails again, tell support the document's id.",
    Fault.UNAVAILABLE: "Upload it again in a few minutes.",
}


class UnreadableDocument(RolecallError):
    """The document fails for good: trying again with the same bytes would end the same."""

    code = ErrorCode.ATTACHMENT_FAILED

    def __init__(self, reason: Fault, message: str | None = None, *, hint: str | None = None) -> None:
        super().__init__(message or MESSAGES[reason], hint=hint or HINTS[reason])
        self.reason = reason
