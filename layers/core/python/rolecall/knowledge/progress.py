"""Tells an uploader how far a document is."""

from collections.abc import Callable
from typing import Final

from rolecall.aws import sockets
from rolecall.aws.live import LiveTable
from rolecall.aws.sockets import Sockets
from rolecall.knowledge.models import Document, Status
from rolecall.protocol.events import DocumentUpdated

_STARTS: Final = {
    Status.PENDING: 0.0,
    Status.PROCESSING: 0.05,
    Status.CHUNKING: 0.25,
    Status.EMBEDDING: 0.3,
    Status.COMPLETED: 1.0,
    Status.FAILED: 1.0,
}
_EMBEDDED: Final = 0.95

Push = Callable[[Document, float], None]


def updated(document: Document, share: float = 0.0) -> DocumentUpdated:
    """Build the frame; `share` is how much of the embedding is done."""
    progress = _STARTS[document.status]
    if document.status is Status.EMBEDDING:
        progress += (_EMBEDDED - progress) * share
    return DocumentUpdated(
        document_id=str(document.id),
        filename=document.filename,
        status=document.status.value,
        progress=round(progress, 3),
        etag=document.etag,
        error_code=document.error_code,
        message=document.error_message,
        recovery_hint=document.recovery_hint,
    )


def pusher(live: LiveTable, posts: Sockets) -> Push:
    """Return what posts a document's state to all open sockets of its uploader; a lost post is harmless."""

    def push(document: Document, share: float = 0.0) -> None:
        frame = updated(document, share).encoded()
        for connection in sockets.connections_of(live, document.created_by_id):
            posts.post(connection, frame)

    return push
