"""Files to documents and to messages: announced, uploaded by form, followed until they can be used."""

import mimetypes
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import httpx

from local.client import Client, Json

ENDED: Final = frozenset({"COMPLETED", "FAILED"})
LOOK_SECONDS: Final = 3.0
"""How often a document is looked at where no news of it comes."""
Progress = Callable[[str, float], None]
"""Told the status and how far it is, 0 to 1."""


class UploadFailed(Exception):
    """The file did not become a document; the message says why and what to do."""


@dataclass(frozen=True)
class Uploaded:
    """A document that can be asked about."""

    document_id: str
    filename: str


def upload(client: Client, path: Path, progress: Progress, *, timeout: float = 900) -> Uploaded:
    """Upload a file and wait until it is read.

    Raises:
        UploadFailed: the file cannot be read, is refused, or cannot be understood.
        RequestFailed: the announcement was refused.
        TimeoutError: it is not read in time.
    """
    content, kind = _read(path)
    form = client.request("requestUpload", filename=path.name, mimeType=kind, sizeBytes=len(content))
    progress("UPLOADING", 0.0)
    etag = _post(form, path.name, content, kind)
    return _follow(client, form["documentId"], path.name, etag, progress, timeout)


def attach(client: Client, path: Path) -> Json:
    """Upload a file for a message; return what goes into the message's `attachments`.

    Raises:
        UploadFailed: the file cannot be read, or the store refused it.
        RequestFailed: no such file can be attached.
    """
    content, kind = _read(path)
    return attach_bytes(client, path.name, content, kind)


def attach_bytes(client: Client, name: str, content: bytes, kind: str) -> Json:
    """Upload what is in memory for a message; see `attach`."""
    size = len(content)
    form = client.request("requestUpload", purpose="attachment", filename=name, mimeType=kind, sizeBytes=size)
    _post(form, name, content, kind)
    return {"key": form["key"], "filename": name, "mimeType": kind}


def _read(path: Path) -> tuple[bytes, str]:
    try:
        content = path.read_bytes()
    except OSError as error:
        raise UploadFailed(f"{path}: {error.strerror}.") from error
    return content, mimetypes.guess_type(path.name)[0] or "application/octet-stream"


def _post(form: Json, name: str, content: bytes, kind: str) -> str:
    reply = httpx.post(form["url"], data=form["fields"], files={"file": (name, content, kind)}, timeout=120)
    if reply.is_error:
        raise UploadFailed(f"{name}: the upload was refused (HTTP {reply.status_code}).")
    return reply.headers.get("etag", "").strip('"')


def _follow(client: Client, document_id: str, name: str, etag: str, progress: Progress, timeout: float) -> Uploaded:
    deadline = time.monotonic() + timeout
    look = time.monotonic() + LOOK_SECONDS
    while time.monotonic() < deadline:
        news = client.next_frame("DocumentUpdated", 0.5)
        if news is None and time.monotonic() > look:
            news, look = _looked_up(client, document_id), time.monotonic() + LOOK_SECONDS
        if news is None or news["documentId"] != document_id or news.get("etag", etag) != etag:
            continue
        progress(news["status"], float(news.get("progress", 0)))
        if news["status"] == "FAILED":
            raise UploadFailed(
                f"{name}: {news.get('message', 'cannot be read.')} {news.get('recoveryHint', '')}".strip()
            )
        if news["status"] == "COMPLETED":
            return Uploaded(document_id, name)
    raise TimeoutError(f"{name} was not read in {timeout:.0f} s")


def _looked_up(client: Client, document_id: str) -> Json | None:
    listed: list[Json] = client.request("listDocuments", limit=100)["documents"]
    found = next((document for document in listed if document["documentId"] == document_id), None)
    if found is None:
        return None
    return found | {"progress": 1.0 if found["status"] in ENDED else 0.5}
