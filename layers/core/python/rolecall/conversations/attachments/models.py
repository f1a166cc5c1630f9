"""An attached file as it is stored with its message, and why one cannot be sent."""

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, Final
from uuid import UUID

from rolecall.conversations.attachments.types import TYPES, Type
from rolecall.errors import ErrorCode, RolecallError

_SHOWN_CHARACTERS: Final = 120


@dataclass(frozen=True, slots=True)
class Attachment:
    """A file of a message. Its type is what its bytes were when it was sent."""

    id: UUID
    position: int
    key: str
    filename: str
    mime_type: str
    size_bytes: int
    document_name: str | None = None
    """The name that a document has in model requests, the same in every turn."""

    @property
    def type(self) -> Type | None:
        """What models take it as; None for a type that is not taken any more."""
        return TYPES.get(self.mime_type)

    def plain(self) -> dict[str, Any]:
        """Render as a message row holds it."""
        return asdict(self) | {"id": str(self.id)}

    @classmethod
    def from_plain(cls, stored: Mapping[str, Any]) -> "Attachment":
        """Read what `plain` wrote, or Postgres."""
        return cls(
            id=UUID(str(stored["id"])),
            position=int(stored["position"]),
            key=stored["key"],
            filename=stored["filename"],
            mime_type=stored["mime_type"],
            size_bytes=int(stored.get("size_bytes") or 0),
            document_name=stored.get("document_name"),
        )

    def wire(self) -> dict[str, Any]:
        """Render for a client."""
        return {
            "key": self.key,
            "filename": self.filename,
            "mimeType": self.mime_type,
            "sizeBytes": self.size_bytes,
        }


def attachments_of(stored: Iterable[Mapping[str, Any]]) -> list[Attachment]:
    """Read the files of a message row."""
    return [Attachment.from_plain(each) for each in stored]


class AttachmentFailed(RolecallError):
    """A file cannot be attached; nothing of its message was stored. The message names the file."""

    code = ErrorCode.ATTACHMENT_FAILED


def failed(filename: str, reason: str, hint: str) -> AttachmentFailed:
    """Build the error about one file."""
    shown = filename if len(filename) <= _SHOWN_CHARACTERS else filename[: _SHOWN_CHARACTERS - 1] + "…"
    return AttachmentFailed(f"“{shown}”: {reason}", hint=hint)


def together(errors: list[AttachmentFailed]) -> AttachmentFailed:
    """Build one error of several files'."""
    hints = dict.fromkeys(error.recovery_hint for error in errors)
    return AttachmentFailed(" ".join(error.message for error in errors), hint=" ".join(hints))
