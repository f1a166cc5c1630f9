"""The place of a message's files in the conversation, until their bytes are there.

It is a text block, legal as it stands, which says what had been attached: whoever has no use for the files (a summary,
a title) leaves it as it is.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, Protocol, cast

from rolecall.conversations.attachments.models import Attachment, attachments_of
from rolecall.errors import ErrorCode
from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.types import ContentBlock

_REFUSED: Final = ModelError(ModelErrorKind.VALIDATION).message


class Mention(dict[str, Any]):
    """A text block of a message's files. `gone`: they are not to be shown any more."""

    def __init__(self, files: Sequence[Attachment], *, gone: bool = False) -> None:
        super().__init__(text=previously(files))
        self.files = tuple(files)
        self.gone = gone


def mention(stored: Sequence[Mapping[str, Any]], *, gone: bool = False) -> list[ContentBlock]:
    """Mention the files of a message row; nothing where it has none."""
    return [cast("ContentBlock", Mention(attachments_of(stored), gone=gone))] if stored else []


class _Row(Protocol):
    @property
    def error_code(self) -> str | None: ...
    @property
    def error_message(self) -> str | None: ...


def refused_until(rows: Sequence[_Row]) -> int:
    """Return how many of the rows, from the first on, have files that are not sent to a model again.

    A file that the model cannot take makes it refuse the whole request, in every later turn as well. So what was
    attached before a refused answer is only mentioned from then on, and the conversation goes on.
    """
    return max((at for at, row in enumerate(rows) if _is_refusal(row)), default=0)


def _is_refusal(row: _Row) -> bool:
    if row.error_code == ErrorCode.CONTEXT_EXHAUSTED:
        return True
    return row.error_code == ErrorCode.CHAT_ERROR and row.error_message == _REFUSED


def previously(files: Sequence[Attachment]) -> str:
    """Say that files were attached that are not shown."""
    return "\n".join(f"[Previously attached: {plain_name(file)}]" for file in files)


def plain_name(file: Attachment) -> str:
    """A file's name as data: one line, and no bracket of it closes ours."""
    return file.filename.replace("[", "(").replace("]", ")")
