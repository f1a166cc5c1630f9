"""Everything a client may get. Events of a turn carry `turnId` and a gap-free `seq` from 1."""

import json
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from rolecall.errors import ErrorCode, RolecallError


class Frame(BaseModel):
    """Whatever is posted to a client; camelCase on the wire."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    def wire(self) -> dict[str, Any]:
        """Render as the JSON object that goes over the socket."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)

    def encoded(self) -> str:
        """Render as the text of one frame."""
        return json.dumps(self.wire(), ensure_ascii=False, separators=(",", ":"))


class Pong(Frame):
    """Answer to `ping`."""

    type: Literal["Pong"] = "Pong"
    request_id: str | None = None


class Reply(Frame):
    """A request's result."""

    type: Literal["Reply"] = "Reply"
    request_id: str | None = None
    data: dict[str, Any]


class Error(Frame):
    """A request's failure; nothing was changed by it.

    For `agentChat` it may follow the `Reply`: the message has become no turn, and may be sent again.
    """

    type: Literal["Error"] = "Error"
    request_id: str | None = None
    code: ErrorCode
    message: str
    recovery_hint: str

    @classmethod
    def of(cls, error: RolecallError, request_id: str | None = None) -> "Error":
        """Render one of our errors."""
        return cls(
            request_id=request_id,
            code=error.code,
            message=error.message,
            recovery_hint=error.recovery_hint,
        )


class Part(Frame):
    """A piece of a frame's text that was too long for one; joined in order of `index` they are that frame."""

    type: Literal["Part"] = "Part"
    part_of: str
    index: int
    last: bool
    text: str


class TurnEvent(Frame):
    """What every event of a turn carries. The log numbers it; a sender never chooses `seq`."""

    type: str
    turn_id: str = ""
    seq: int = 0


class ChatProcessing(TurnEvent):
    """The turn was accepted. `status`: started, warming, running_tools, resumed, compacting (older messages).

    `retrying`: the model starts its answer again, and the reasoning since the last tool is void.
    """

    type: Literal["ChatProcessing"] = "ChatProcessing"
    status: Literal["started", "warming", "running_tools", "resumed", "retrying", "compacting"] = "started"
    message: str


class ChatContextLoaded(TurnEvent):
    """Retrieved context was put before the model."""

    type: Literal["ChatContextLoaded"] = "ChatContextLoaded"
    context_chunks: int
    context_tokens: int


class ChatChunk(TurnEvent):
    """A piece of the answer's text; `chunkIndex` counts from 0 within the hop. Joined in order of `seq`, the
    deltas are the answer."""

    type: Literal["ChatChunk"] = "ChatChunk"
    delta: str
    chunk_index: int


class ChatReasoningChunk(TurnEvent):
    """A piece of the model's reasoning; never part of the answer's text.

    `toolCallId` names the call whose tool thinks; none: the model that answers. `chunkIndex` counts from 0 within a
    pass of one of them; tools that run side by side think in between one another.
    """

    type: Literal["ChatReasoningChunk"] = "ChatReasoningChunk"
    delta: str
    chunk_index: int
    tool_call_id: str | None = None


class ChatToolCall(TurnEvent):
    """The model asks for a tool."""

    type: Literal["ChatToolCall"] = "ChatToolCall"
    tool_call_id: str
    tool_name: str
    tool_type: str
    input_data: dict[str, Any]


class ChatToolResult(TurnEvent):
    """A tool ended. `truncated` says that `output` was cut to fit a frame; the row has all of it."""

    type: Literal["ChatToolResult"] = "ChatToolResult"
    tool_call_id: str
    output: Any
    success: bool
    execution_time_ms: int
    truncated: bool = False


class ChatSources(TurnEvent):
    """Sources found by the turn so far and not announced before."""

    type: Literal["ChatSources"] = "ChatSources"
    sources: list[dict[str, Any]]


class ChatComplete(TurnEvent):
    """The turn ended well; `content` is the whole answer, so that lost chunks heal.

    A text too long for one frame is left out and `contentTruncated` is set: read it with
    `conversationMessages`.
    """

    type: Literal["ChatComplete"] = "ChatComplete"
    message_id: str
    content: str
    content_truncated: bool = False
    stop_reason: str = "end_turn"
    notice: str | None = None
    """Why the answer is not whole, in words for the user; none where it is."""
    input_tokens: int
    output_tokens: int
    cached_tokens: int | None = None
    """Tokens of the prompts that were read from a cache; they are not among `inputTokens`."""
    total_time_ms: int
    sources: list[dict[str, Any]] = []


class ChatError(TurnEvent):
    """The turn ended in an error, or could not start. `content` is what was written until then."""

    type: Literal["ChatError"] = "ChatError"
    code: ErrorCode
    message: str
    recovery_hint: str
    content: str = ""


class ChatSkipped(TurnEvent):
    """Stands for an event that was lost with its writer; the terminal event heals the text."""

    type: Literal["ChatSkipped"] = "ChatSkipped"


class ConversationUpdated(Frame):
    """A conversation was made, renamed or deleted on another socket of the same person, or named after a turn."""

    type: Literal["ConversationUpdated"] = "ConversationUpdated"
    conversation_id: str
    title: str | None = None
    status: Literal["ACTIVE", "DELETED"] = "ACTIVE"


class DocumentUpdated(Frame):
    """An upload came a step further. COMPLETED and FAILED are the last of it; `etag` names the object it is about."""

    type: Literal["DocumentUpdated"] = "DocumentUpdated"
    document_id: str
    filename: str
    status: Literal["PENDING", "PROCESSING", "CHUNKING", "EMBEDDING", "COMPLETED", "FAILED"]
    progress: float
    """From 0 to 1."""
    etag: str | None = None
    error_code: str | None = None
    message: str | None = None
    recovery_hint: str | None = None


EVENTS: Final[tuple[type[TurnEvent], ...]] = (
    ChatProcessing,
    ChatContextLoaded,
    ChatChunk,
    ChatReasoningChunk,
    ChatToolCall,
    ChatToolResult,
    ChatSources,
    ChatComplete,
    ChatError,
    ChatSkipped,
)
TERMINAL: Final = frozenset({"ChatComplete", "ChatError"})
