"""Conversations and their messages, as rows and as what a client sees of them."""

from dataclasses import dataclass, field
from datetime import UTC, datetime
from enum import StrEnum
from typing import Any
from uuid import UUID

from rolecall.conversations.attachments.models import attachments_of


class Role(StrEnum):
    """Who a message row is from. Transcripts render USER and ASSISTANT only."""

    USER = "USER"
    ASSISTANT = "ASSISTANT"
    SYSTEM = "SYSTEM"
    TOOL = "TOOL"


class MessageStatus(StrEnum):
    """State of a message row; for an ASSISTANT row it is the turn's state."""

    STREAMING = "STREAMING"
    AWAITING_APPROVAL = "AWAITING_APPROVAL"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"


@dataclass(frozen=True, slots=True)
class Conversation:
    """One person's conversation with one agent."""

    id: UUID
    company_id: UUID | None
    user_id: UUID
    agent_id: UUID
    title: str | None
    status: str
    task_code: str | None
    context_summary: str | None
    summarized_until: int | None
    """The position of the last message that the summary covers."""
    message_count: int
    last_message_at: datetime
    created_at: datetime
    feedback_rating: int | None = None
    feedback_comment: str | None = None

    def summary_after(self, position: int | None) -> str | None:
        """The summary, unless it covers messages after the one at this position (None: any at all)."""
        covers_more = self.summarized_until is not None and (position is None or self.summarized_until > position)
        return None if covers_more else self.context_summary

    def wire(self) -> dict[str, Any]:
        """Render for a client."""
        return {
            "conversationId": str(self.id),
            "agentId": str(self.agent_id),
            "title": self.title,
            "status": self.status,
            "taskCode": self.task_code,
            "messageCount": self.message_count,
            "lastMessageAt": self.last_message_at.isoformat(),
            "createdAt": self.created_at.isoformat(),
            "feedback": _feedback(self.feedback_rating, self.feedback_comment),
        }


@dataclass(frozen=True, slots=True)
class Message:
    """A USER or ASSISTANT row. An ASSISTANT row holds its whole turn: segments and tool calls by hop."""

    id: UUID
    conversation_id: UUID
    position: int
    role: str
    status: str
    content: str
    content_segments: list[dict[str, Any]]
    tool_calls: list[dict[str, Any]]
    sources: list[dict[str, Any]]
    page_context: dict[str, Any] | None
    rag_context: dict[str, Any] | None
    """What was retrieved for a USER row, as the model read it; replay leaves it out."""
    origin: str
    stop_reason: str | None
    error_code: str | None
    error_message: str | None
    input_tokens: int
    output_tokens: int
    total_time_ms: int | None
    created_at: datetime
    feedback_rating: int | None = None
    feedback_comment: str | None = None
    attachments: list[dict[str, Any]] = field(default_factory=list)
    """Files of a USER row, in order; `Attachment.from_plain` reads each."""
    cached_tokens: int = 0
    """Tokens of the prompts that were read from a cache; not among the input tokens."""

    @classmethod
    def new(cls, message_id: UUID, conversation_id: UUID, role: "Role", **columns: Any) -> "Message":
        """A row that is about to be stored; what is not named is empty."""
        empty: dict[str, Any] = {
            "position": 0,
            "status": MessageStatus.STREAMING if role == Role.ASSISTANT else MessageStatus.COMPLETED,
            "content": "",
            "content_segments": [],
            "tool_calls": [],
            "sources": [],
            "page_context": None,
            "rag_context": None,
            "origin": "user",
            "stop_reason": None,
            "error_code": None,
            "error_message": None,
            "input_tokens": 0,
            "output_tokens": 0,
            "total_time_ms": None,
            "created_at": datetime.now(UTC),
        }
        return cls(id=message_id, conversation_id=conversation_id, role=role, **(empty | columns))

    def wire(self) -> dict[str, Any]:
        """Render for a client; the turn's preamble stays inside."""
        shown = {
            "messageId": str(self.id),
            "role": self.role,
            "status": self.status,
            "content": self.content,
            "createdAt": self.created_at.isoformat(),
        }
        if self.role == Role.USER:
            return shown | {"attachments": [file.wire() for file in attachments_of(self.attachments)]}
        return shown | {
            "turnId": str(self.id),
            "contentSegments": [_without_signature(segment) for segment in self.content_segments],
            "toolCalls": self.tool_calls,
            "sources": self.sources,
            "stopReason": self.stop_reason,
            "errorCode": self.error_code,
            "errorMessage": self.error_message,
            "inputTokens": self.input_tokens,
            "outputTokens": self.output_tokens,
            "totalTimeMs": self.total_time_ms,
            "feedback": _feedback(self.feedback_rating, self.feedback_comment),
        }


@dataclass(frozen=True, slots=True)
class TurnRecord:
    """A turn's ASSISTANT row, the model that answered, and when the turn ended (None: it goes on)."""

    message: Message
    model: str | None
    completed_at: datetime | None


def _feedback(rating: int | None, comment: str | None) -> dict[str, Any] | None:
    return None if rating is None else {"rating": rating, "comment": comment}


def _without_signature(segment: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is for the model's next request only: the signature, and whose it is."""
    return {name: value for name, value in segment.items() if name not in {"signature", "redacted", "model"}}
