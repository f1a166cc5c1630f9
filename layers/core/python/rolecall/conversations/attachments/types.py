"""What may be attached: the types, how large each may be, and what a name or a client's word says of a file."""

from dataclasses import dataclass
from typing import Final, Literal

MESSAGE_BYTES: Final = 20_000_000
"""All files of one message together."""

PDF: Final = "application/pdf"
DOC: Final = "application/msword"
XLS: Final = "application/vnd.ms-excel"
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
DOCX: Final = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
TEXT: Final = "text/plain"
MARKDOWN: Final = "text/markdown"
HTML: Final = "text/html"
CSV: Final = "text/csv"
TEXTS: Final = frozenset({TEXT, MARKDOWN, HTML, CSV})


@dataclass(frozen=True, slots=True)
class Type:
    """A type that models take."""

    kind: Literal["image", "document"]
    format: str
    """Its name in a Converse request."""
    extensions: tuple[str, ...]

    @property
    def limit(self) -> int:
        """Bytes that a file of it may have."""
        from rolecall.llm.contract.documents import MAX_DOCUMENT_BYTES, MAX_IMAGE_BYTES  # lazily: `front` needs none

        return MAX_IMAGE_BYTES if self.kind == "image" else MAX_DOCUMENT_BYTES


TYPES: Final[dict[str, Type]] = {
    "image/jpeg": Type("image", "jpeg", ("jpg", "jpeg")),
    "image/png": Type("image", "png", ("png",)),
    "image/gif": Type("image", "gif", ("gif",)),
    "image/webp": Type("image", "webp", ("webp",)),
    PDF: Type("document", "pdf", ("pdf",)),
    DOC: Type("document", "doc", ("doc",)),
    DOCX: Type("document", "docx", ("docx",)),
    XLS: Type("document", "xls", ("xls",)),
    XLSX: Type("document", "xlsx", ("xlsx",)),
    TEXT: Type("document", "txt", ("txt", "text", "log")),
    MARKDOWN: Type("document", "md", ("md", "markdown")),
    HTML: Type("document", "html", ("html", "htm")),
    CSV: Type("document", "csv", ("csv", "tsv")),
}
"""By MIME type."""

_BY_EXTENSION: Final = {extension: mime for mime, type_ in TYPES.items() for extension in type_.extensions}
_ALIASES: Final = {"image/jpg": "image/jpeg", "text/x-markdown": MARKDOWN, "application/csv": CSV}


def announced_type(filename: str, mime_type: str) -> str | None:
    """Return the type that a file is announced as, None for one that cannot be attached.

    Its name counts before the declared type: browsers declare a CSV as Excel's where Excel is installed, and many files
    as nothing at all. The bytes decide when the file is sent.
    """
    declared = mime_type.partition(";")[0].strip().lower()
    declared = _ALIASES.get(declared, declared)
    _, dot, extension = filename.rpartition(".")
    named = _BY_EXTENSION.get(extension.strip().lower()) if dot else None
    return named or (declared if declared in TYPES else None)


def size_in_words(size: int) -> str:
    """Write a number of bytes as people read it."""
    return f"{size / 1_000_000:.1f} MB" if size >= 1_000_000 else f"{max(1, size // 1000)} kB"
