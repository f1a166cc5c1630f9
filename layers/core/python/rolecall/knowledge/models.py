"""What documents are made of: rows, chunks, and passages found."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any, NewType
from uuid import UUID

from rolecall.ids import AgentId, CompanyId, UserId
from rolecall.knowledge.faults import HINTS, Fault

DocumentId = NewType("DocumentId", UUID)


class Status(StrEnum):
    """How far a document is; COMPLETED and FAILED end it."""

    PENDING = "PENDING"
    PROCESSING = "PROCESSING"
    CHUNKING = "CHUNKING"
    EMBEDDING = "EMBEDDING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """A row of `agent_document`. `etag` names the uploaded object that `status` is about."""

    id: DocumentId
    company_id: CompanyId | None
    created_by_id: UserId
    agent_id: AgentId | None
    filename: str
    title: str | None
    mime_type: str
    size_bytes: int
    storage_key: str
    etag: str | None
    content_hash: str | None
    status: Status
    error_code: str | None
    error_message: str | None
    rag_enabled: bool
    tags: list[str]
    category: str | None
    embedder: str | None
    page_count: int | None
    chunk_count: int
    token_count: int
    created_at: datetime
    updated_at: datetime
    completed_at: datetime | None
    """When the version that searches find was published; it stays while a new one is read, or fails."""

    @property
    def recovery_hint(self) -> str | None:
        """What a person can do about the failure."""
        return HINTS[Fault(self.error_code)] if self.error_code else None

    def wire(self) -> dict[str, Any]:
        """Render for a reply."""
        fields = {
            "documentId": str(self.id),
            "filename": self.filename,
            "title": self.title,
            "agentId": str(self.agent_id) if self.agent_id else None,
            "mimeType": self.mime_type,
            "sizeBytes": self.size_bytes,
            "etag": self.etag,
            "status": self.status,
            "errorCode": self.error_code,
            "message": self.error_message,
            "recoveryHint": self.recovery_hint,
            "ragEnabled": self.rag_enabled,
            "tags": self.tags,
            "category": self.category,
            "pageCount": self.page_count,
            "chunkCount": self.chunk_count,
            "createdAt": self.created_at.isoformat(),
            "updatedAt": self.updated_at.isoformat(),
            "completedAt": self.completed_at.isoformat() if self.completed_at else None,
        }
        return {name: value for name, value in fields.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """A span of the extracted text: `text[char_from:char_to] == content`."""

    id: UUID
    index: int
    content: str
    content_hash: str
    banner: str
    """Title and section: embedded with the content, never quoted as its text."""
    section: str | None
    page_from: int | None
    page_to: int | None
    char_from: int
    char_to: int
    token_count: int

    @property
    def embedded_text(self) -> str:
        """What the vector stands for."""
        return f"{self.banner}\n\n{self.content}" if self.banner else self.content


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A chunk that was found. All scores lie in [0, 1]."""

    chunk_id: UUID
    document_id: DocumentId
    chunk_index: int
    filename: str
    page_from: int | None
    page_to: int | None
    section: str | None
    char_from: int
    char_to: int
    content: str
    score: float
    vector_score: float
    text_score: float
