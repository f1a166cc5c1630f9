"""Announcing a file: what may be attached at all, and the form that uploads it."""

import time
from typing import Any, Final

from rolecall.aws import objects
from rolecall.conversations.attachments.keys import new_key
from rolecall.conversations.attachments.models import failed
from rolecall.conversations.attachments.types import TYPES, announced_type, size_in_words
from rolecall.identity import Caller
from rolecall.knowledge.clean import display_name

FORM_SECONDS: Final = 900


def announce(bucket: str, caller: Caller, *, filename: str, mime_type: str, size_bytes: int) -> dict[str, Any]:
    """Sign a form that uploads one file for a message: `{key, url, fields, expiresAt}`.

    Raises:
        AttachmentFailed: no model takes such a file, it is empty, or it is too large.
    """
    name = display_name(filename)
    mime = announced_type(name, mime_type)
    if mime is None:
        raise failed(
            name,
            "Files of this type cannot be attached.",
            "Attach a PDF, Word, Excel, text, Markdown, HTML or CSV file, or a JPEG, PNG, GIF or WebP picture.",
        )
    limit = TYPES[mime].limit
    if size_bytes > limit:
        what = "picture" if TYPES[mime].kind == "image" else "document"
        reason = f"The file has {size_in_words(size_bytes)}; a {what} may have {size_in_words(limit)}."
        raise failed(name, reason, "Make it smaller, or split it, and attach it again.")
    if size_bytes == 0:
        raise failed(name, "The file is empty.", "Check that it is the right file, and attach it again.")
    key = new_key(caller, name)
    form = objects.upload_form(bucket, key, mime_type=mime, limit=limit, seconds=FORM_SECONDS, least=1)
    return {"key": key, "url": form["url"], "fields": form["fields"], "expiresAt": int(time.time()) + FORM_SECONDS}
