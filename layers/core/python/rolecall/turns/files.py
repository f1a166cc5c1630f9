"""The files of a hop's request: read again from S3 for each hop, but for those that the turn has just checked."""

from collections.abc import Mapping, Sequence
from uuid import UUID

from rolecall.conversations.attachments import fetch
from rolecall.conversations.attachments.blocks import with_files
from rolecall.conversations.attachments.models import Attachment
from rolecall.identity import Caller
from rolecall.knowledge.faults import UnreadableDocument
from rolecall.llm.capabilities import capabilities
from rolecall.llm.types import ConverseRequest
from rolecall.telemetry import log
from rolecall.turns.material import Material
from rolecall.turns.models import Runtime


def attach(runtime: Runtime, caller: Caller, material: Material, request: ConverseRequest) -> ConverseRequest:
    """Put the files that the conversation mentions into the request. Call it outside of any transaction.

    One that was deleted or changed meanwhile is mentioned by its name; it never fails the turn.
    """
    bucket, held = runtime.settings.uploads_bucket, material.held

    def read(files: Sequence[Attachment]) -> Mapping[UUID, bytes]:
        wanted = [file for file in files if file.id not in held]
        there = _unchanged(wanted, fetch.fetch(bucket, caller, [file.key for file in wanted])) if wanted else {}
        held.update({file.id: there.get(file.id) for file in wanted})
        return {file.id: data for file in files if (data := held[file.id]) is not None}

    model = capabilities(material.setting.spec.model)
    return {**request, "messages": with_files(request["messages"], model, read)}


def _unchanged(files: Sequence[Attachment], found: Mapping[str, fetch.Found]) -> dict[UUID, bytes]:
    """Leave out what is not there, and what is not any more what it was when it was sent."""
    there: dict[UUID, bytes] = {}
    for file in files:
        each = found[file.key]
        if isinstance(each, fetch.Trouble):
            log.info("attachment left out", extra={"reason": each.value})
        elif _is_still(file, each[1]):
            there[file.id] = each[1]
    return there


def _is_still(file: Attachment, data: bytes) -> bool:
    from rolecall.conversations.attachments.inspect import real_type  # lazily: most turns have no files

    try:
        same = real_type(data, file.filename, file.mime_type) == file.mime_type
    except UnreadableDocument:
        same = False
    if not same:
        log.warning("attachment left out", extra={"reason": "changed"})
    return same
