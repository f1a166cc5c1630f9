"""What a person does with documents: announce an upload, list, look, delete. For the application's role."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final
from uuid import UUID, uuid4

from psycopg import Connection

from rolecall.errors import InvalidRequest
from rolecall.identity import Caller
from rolecall.ids import AgentId
from rolecall.knowledge import store
from rolecall.knowledge.clean import display_name, line
from rolecall.knowledge.models import Document, DocumentId, Passage
from rolecall.knowledge.search import store as search_store

MAX_UPLOAD_BYTES: Final = 50 * 1024 * 1024
KEY_PREFIX: Final = "uploads/"
_KEY_BYTES: Final = 1024
_MIME_CHARACTERS: Final = 200
_MAX_TAGS: Final = 20


@dataclass(frozen=True, slots=True)
class Upload:
    """Where the file goes. `replaces`: the document was there before and stays as it is until the file has come."""

    document: Document
    key: str
    replaces: bool


def create_upload(
    conn: Connection[Any],
    caller: Caller,
    *,
    filename: str,
    mime_type: str,
    size_bytes: int,
    agent_id: AgentId | None = None,
    title: str | None = None,
    tags: Sequence[str] | None = None,
) -> Upload:
    """Make the row that an upload will fill, or find the one that it replaces.

    The caller's own document of the same name, in the same scope and at the same agent, is replaced: id and key stay,
    the object gets a new version, and the chunks of the old one are found until those of the new one are ready.
    Somebody else's document of that name is left alone.

    Raises:
        InvalidRequest: too large, or a tag or name that cannot be used.
    """
    if not 0 <= size_bytes <= MAX_UPLOAD_BYTES:
        raise InvalidRequest(
            f"A document may have at most {MAX_UPLOAD_BYTES // 1024 // 1024} MB.", hint="Split the file."
        )
    name = display_name(filename)
    labels = _tags(tags)
    known = store.same_name(conn, caller, agent_id, name)
    if known is not None:
        if labels is not None and labels != known.tags:
            known = store.set_tags(conn, caller, known.id, labels) or known
        return Upload(known, known.storage_key, replaces=True)
    document_id = DocumentId(uuid4())
    row = {
        "id": document_id,
        "agent_id": agent_id,
        "filename": name,
        "title": (line(title, 500) or None) if title else None,
        "mime_type": line(mime_type, _MIME_CHARACTERS).lower() or "application/octet-stream",
        "size_bytes": size_bytes,
        "storage_key": storage_key(document_id, name),
        "tags": labels or [],
    }
    return Upload(store.insert(conn, caller, row), str(row["storage_key"]), replaces=False)


def storage_key(document_id: DocumentId, filename: str) -> str:
    """Build an object's key; S3 takes at most 1,024 bytes."""
    prefix = f"{KEY_PREFIX}{document_id}/"
    room = _KEY_BYTES - len(prefix)
    return prefix + filename.encode()[:room].decode(errors="ignore")


def documents(
    conn: Connection[Any],
    caller: Caller,
    *,
    agent_id: AgentId | None = None,
    one_agent: bool = False,
    before: Document | None = None,
    limit: int = 50,
) -> list[Document]:
    """List the documents of the caller's scope, newest first.

    Args:
        conn: The caller's transaction.
        caller: For whom.
        agent_id: With `one_agent`: only this agent's, or with None only the company's own.
        one_agent: Whether `agent_id` counts.
        before: The last document of the page before.
        limit: Documents a page, at most 200.
    """
    return store.select_all(
        conn, caller, agent_id=agent_id, one_agent=one_agent, before=before, limit=max(1, min(limit, 200))
    )


def get(conn: Connection[Any], caller: Caller, document_id: DocumentId) -> Document | None:
    """Read one document of the caller's scope."""
    return store.select(conn, caller, document_id)


def passage(conn: Connection[Any], caller: Caller, chunk_id: UUID) -> Passage | None:
    """Read the passage that a source names; None where it is gone, or not of the caller's scope."""
    return search_store.chunk(conn, caller, chunk_id)


def delete(conn: Connection[Any], caller: Caller, document_id: DocumentId) -> Document | None:
    """Delete a document and its chunks: its maker may, and who leads the company.

    Returns:
        What was deleted; delete the object `storage_key` after the commit. None where there was nothing to delete.
    """
    return store.delete(conn, caller, document_id)


def _tags(tags: Sequence[str] | None) -> list[str] | None:
    if tags is None:
        return None
    labels = list(dict.fromkeys(filter(None, (line(tag, 100) for tag in tags))))
    if len(labels) > _MAX_TAGS:
        raise InvalidRequest(f"A document may have at most {_MAX_TAGS} tags.")
    return labels
