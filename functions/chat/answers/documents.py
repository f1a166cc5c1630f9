"""Documents: announced for upload, listed, deleted."""

from typing import Any
from uuid import UUID

from psycopg import Connection

from functions.chat.answers.asked import Asked, Data, usable
from functions.chat.answers.attachments import request_attachment
from rolecall.agents import provisioning
from rolecall.agents import store as agents
from rolecall.aws import objects
from rolecall.errors import ErrorCode, InvalidRequest, RolecallError
from rolecall.identity import Caller
from rolecall.ids import AgentId
from rolecall.knowledge import documents
from rolecall.knowledge.models import Document, DocumentId
from rolecall.protocol.requests import DeleteDocument, ListDocuments, ReadPassage, RequestUpload
from rolecall.turns.models import Runtime


def request_upload(runtime: Runtime, asked: Asked, request: RequestUpload) -> Data:
    """Make the document's row and sign the form that uploads its file; a message's file needs no row yet."""
    if request.purpose == "attachment":
        return request_attachment(runtime, asked, request)
    caller = asked.caller
    if request.agent_id is None:
        provisioning.ensure_default_agents(runtime.db, caller)
    with runtime.db.transaction(caller) as conn:
        upload = documents.create_upload(
            conn,
            caller,
            filename=request.filename,
            mime_type=request.mime_type,
            size_bytes=request.size_bytes,
            agent_id=_agent(conn, caller, request.agent_id),
            tags=request.tags or None,
        )
    form = objects.upload_form(
        runtime.settings.uploads_bucket,
        upload.key,
        mime_type=upload.document.mime_type,
        limit=documents.MAX_UPLOAD_BYTES,
    )
    shown = {"documentId": str(upload.document.id), "replaces": upload.replaces}
    return shown | {"url": form["url"], "fields": form["fields"]}


def list_documents(runtime: Runtime, asked: Asked, request: ListDocuments) -> Data:
    """An agent's documents, newest first, a page at a time."""
    caller = asked.caller
    with runtime.db.transaction(caller) as conn:
        page = documents.documents(
            conn,
            caller,
            agent_id=_agent(conn, caller, request.agent_id),
            one_agent=True,
            before=_before(conn, caller, request.before),
            limit=request.limit,
        )
    more = len(page) == request.limit
    return {"documents": [document.wire() for document in page], "next": str(page[-1].id) if more else None}


def delete_document(runtime: Runtime, asked: Asked, request: DeleteDocument) -> Data:
    """Delete a document and its file; one that is read at this moment leaves nothing behind."""
    with runtime.db.transaction(asked.caller) as conn:
        deleted = documents.delete(conn, asked.caller, DocumentId(request.document_id))
    if deleted is None:
        raise InvalidRequest("documentId: there is no such document, or it is not yours to delete.")
    objects.delete(runtime.settings.uploads_bucket, deleted.storage_key)
    return {"documentId": str(deleted.id), "deleted": True}


def read_passage(runtime: Runtime, asked: Asked, request: ReadPassage) -> Data:
    """Show the whole passage that an answer stands on."""
    with runtime.db.transaction(asked.caller, read_only=True) as conn:
        passage = documents.passage(conn, asked.caller, request.chunk_id)
    if passage is None:
        raise InvalidRequest(
            "chunkId: there is no such passage.", hint="Its document was replaced or deleted; ask again."
        )
    return {
        "chunkId": str(passage.chunk_id),
        "documentId": str(passage.document_id),
        "filename": passage.filename,
        "content": passage.content,
        "section": passage.section,
        "page": passage.page_from,
        "pageTo": passage.page_to,
        "charFrom": passage.char_from,
        "charTo": passage.char_to,
    }


def _agent(conn: Connection[Any], caller: Caller, agent_id: UUID | None) -> AgentId:
    agent = agents.get(conn, AgentId(agent_id)) if agent_id else agents.default_agent(conn, caller)
    return AgentId(usable(agent, caller).id)


def _before(conn: Connection[Any], caller: Caller, cursor: str | None) -> Document | None:
    if cursor is None:
        return None
    try:
        last = documents.get(conn, caller, DocumentId(UUID(cursor)))
    except ValueError:
        last = None
    if last is None:
        raise RolecallError("before: is not a cursor from an earlier page.", code=ErrorCode.INVALID_REQUEST)
    return last
