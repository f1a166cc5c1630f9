"""Files as blocks of a model request: what the model takes, within a request's limits; words in place of the rest."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final, cast
from uuid import UUID

from rolecall.conversations.attachments.mention import Mention, plain_name, previously
from rolecall.conversations.attachments.models import Attachment
from rolecall.conversations.attachments.readable import readable, utf8
from rolecall.conversations.attachments.types import TEXTS
from rolecall.llm.capabilities import Capabilities
from rolecall.llm.contract.documents import MAX_DOCUMENTS, MAX_IMAGES
from rolecall.llm.document_names import legal_document_name
from rolecall.llm.types import ContentBlock, Message

REPLAY_BYTES: Final = 14_000_000
"""Bytes up to which files of earlier messages are sent again: base64 makes them a third larger, and Anthropic's models
on Bedrock take 20 MB."""

Read = Callable[[Sequence[Attachment]], Mapping[UUID, bytes]]
"""Reads files; those that cannot be read, or are not any more what they were, are left out."""


def with_files(messages: list[Message], model: Capabilities, read: Read) -> list[Message]:
    """Put files in place of the mentions of them.

    The newest message's files always go along. Of earlier ones, the newest do that fit the request; the others, and
    those that are not there any more, stay mentioned by name.

    Args:
        messages: the conversation, its last mention being that of the newest message with files.
        model: what the model takes.
        read: reads the bytes of those that go along; not called where there is nothing to read.
    """
    mentions = [block for message in messages for block in message["content"] if isinstance(block, Mention)]
    if not mentions:
        return messages
    wanted = _wanted(mentions, model)
    found = read(wanted) if wanted else {}
    used: set[str] = set()
    shown: list[Message] = []
    for message in messages:
        content: list[ContentBlock] = []
        for block in message["content"]:
            content += _blocks(block, model, found, used) if isinstance(block, Mention) else [block]
        shown.append({**message, "content": content})
    return shown


def _wanted(mentions: Sequence[Mention], model: Capabilities) -> list[Attachment]:
    """Choose from the newest on."""
    wanted: list[Attachment] = []
    room = {"document": MAX_DOCUMENTS, "image": MAX_IMAGES if model.images else 0}
    budget = REPLAY_BYTES
    for mention in reversed(mentions):
        newest = mention is mentions[-1]
        for file in () if mention.gone else mention.files:
            kind = file.type.kind if file.type else ""
            if room.get(kind, 0) and (newest or file.size_bytes <= budget):
                room[kind] -= 1
                budget -= file.size_bytes
                wanted.append(file)
    return wanted


def _blocks(
    mention: Mention, model: Capabilities, found: Mapping[UUID, bytes], used: set[str]
) -> Iterator[ContentBlock]:
    lines: list[str] = []
    blocks: list[ContentBlock] = []
    for file in mention.files:
        line, block = _one(file, model, found.get(file.id), used, gone=mention.gone)
        lines.append(line)
        blocks += block
    yield {"text": "\n".join(lines)}
    yield from blocks


def _one(
    file: Attachment, model: Capabilities, data: bytes | None, used: set[str], *, gone: bool
) -> tuple[str, list[ContentBlock]]:
    """Return a line about a file, and the blocks that hold it."""
    name, type_ = plain_name(file), file.type
    if type_ and type_.kind == "image" and not model.images and not gone:
        return f"[Attached picture: {name}. This model cannot see pictures; say so where it matters.]", []
    if data is None or type_ is None:
        return previously([file]), []
    if type_.kind == "image":
        return f"[Attached picture: {name}]", [_block("image", format=type_.format, source={"bytes": data})]
    if not model.documents:
        return _as_text(file, data)
    kept = file.document_name
    given = kept if kept and kept.lower() not in used else legal_document_name(kept or file.filename, used)
    used.add(given.lower())
    if file.mime_type in TEXTS:
        data = utf8(data)
    block = _block("document", format=type_.format, name=given, source={"bytes": data})
    return f"[Attached document: {name}, here under the name “{given}”]", [block]


def _as_text(file: Attachment, data: bytes) -> tuple[str, list[ContentBlock]]:
    name = plain_name(file)
    text = readable(file, data)
    if text is None:
        return f"[Attached document: {name}. This model takes no documents, and its text cannot be read here.]", []
    fence = file.id.hex[:16]
    return f"[Attached document: {name}, its text between two marks {fence}]", [
        {"text": f"[text {fence}]\n{text}\n[/text {fence}]"}
    ]


def _block(kind: str, **fields: Any) -> ContentBlock:
    return cast("ContentBlock", {kind: fields})
