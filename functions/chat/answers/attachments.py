"""Files of messages: announced for upload, read by an address."""

import time
from typing import Final

from functions.chat.answers.asked import Asked, Data
from rolecall.aws import objects
from rolecall.conversations.attachments import announce, store
from rolecall.conversations.attachments.models import AttachmentFailed
from rolecall.ids import ConversationId
from rolecall.protocol.requests import AttachmentUrl, RequestUpload
from rolecall.turns.models import Runtime

ADDRESS_SECONDS: Final = 300


def request_attachment(runtime: Runtime, asked: Asked, request: RequestUpload) -> Data:
    """Sign the form that uploads a file for a message; nothing is stored before the message is sent."""
    return announce.announce(
        runtime.settings.uploads_bucket,
        asked.caller,
        filename=request.filename,
        mime_type=request.mime_type,
        size_bytes=request.size_bytes,
    )


def attachment_url(runtime: Runtime, asked: Asked, request: AttachmentUrl) -> Data:
    """Sign an address for a file of the caller's own message."""
    conversation_id = ConversationId(request.conversation_id)
    with runtime.db.transaction(asked.caller, read_only=True) as conn:
        file = store.select(conn, conversation_id, request.message_id, request.key)
    if file is None:
        raise AttachmentFailed("There is no such file in this message.", hint="Load the conversation again.")
    url = objects.download_url(
        runtime.settings.uploads_bucket,
        file.key,
        filename=file.filename,
        mime_type=file.mime_type,
        seconds=ADDRESS_SECONDS,
    )
    named = {name: value for name, value in file.wire().items() if name != "key"}
    return named | {"url": url, "expiresAt": int(time.time()) + ADDRESS_SECONDS}
