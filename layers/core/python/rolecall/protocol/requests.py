"""Everything a client may send. One class an action; `ACTIONS` is the list of routes."""

from typing import Annotated, Final, Literal
from uuid import UUID

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationInfo
from pydantic.alias_generators import to_camel

from rolecall.errors import ErrorCode
from rolecall.protocol import limits, model_requests
from rolecall.protocol.base import Request as Request
from rolecall.protocol.base import ShortText, Text
from rolecall.text import is_blank


def _message_text(value: str, info: ValidationInfo) -> str:
    if is_blank(value) and not info.data.get("attachments"):
        raise ValueError("is empty; write a message, or attach a file")
    if len(value) > limits.MESSAGE_CHARACTERS:
        raise ValueError(
            f"has {len(value):,} characters, {limits.MESSAGE_CHARACTERS:,} are allowed;"
            " shorten it or attach it as a file"
        )
    if len(value.encode()) > limits.MESSAGE_TEXT_BYTES:
        raise ValueError(
            f"has {len(value.encode()):,} bytes, {limits.MESSAGE_TEXT_BYTES:,} are allowed;"
            " shorten it or attach it as a file"
        )
    return value


def _title(value: str) -> str:
    if is_blank(value):
        raise ValueError("is empty; write a title")
    return " ".join(value.split())


class Ping(Request):
    """Keep the socket open; answered with `Pong`."""

    action: Literal["ping"]


class WhoAmI(Request):
    """Who the caller is, what they act for, and their agents; provisions default agents."""

    action: Literal["whoAmI"]


class CreateConversation(Request):
    """Open a conversation with an agent (the caller's default one unless named).

    With `store: false` nothing of it is kept: its messages, calls and answers expire an hour after its last turn, it is
    not listed, and a person without an account has no other.
    """

    action: Literal["createConversation"]
    agent_id: UUID | None = None
    title: ShortText | None = None
    task_code: ShortText | None = None
    store: bool = True
    errors = (ErrorCode.AGENT_INACTIVE,)


class ListConversations(Request):
    """The caller's conversations, newest first; `before` is the cursor of the page before.

    With `query`: those whose title or messages contain it, in any case.
    """

    action: Literal["listConversations"]
    limit: Annotated[int, Field(ge=1, le=100)] = 30
    before: ShortText | None = None
    query: ShortText | None = None


class UpdateConversation(Request):
    """Change a conversation's title; the caller's other sockets get `ConversationUpdated`."""

    action: Literal["updateConversation"]
    conversation_id: UUID
    title: Annotated[ShortText, AfterValidator(_title)]
    errors = (ErrorCode.CONVERSATION_NOT_FOUND, ErrorCode.CONVERSATION_INACTIVE)


class DeleteConversation(Request):
    """Delete a conversation for good; deleting it again changes nothing."""

    action: Literal["deleteConversation"]
    conversation_id: UUID
    errors = (ErrorCode.CONVERSATION_NOT_FOUND,)


class ConversationMessages(Request):
    """Messages of a conversation, newest page first, each page in order of time."""

    action: Literal["conversationMessages"]
    conversation_id: UUID
    limit: Annotated[int, Field(ge=1, le=100)] = 50
    before: ShortText | None = None
    errors = (ErrorCode.CONVERSATION_NOT_FOUND, ErrorCode.CONVERSATION_INACTIVE)


class AttachmentRef(BaseModel):
    """A file that was uploaded before, by the key it was given."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True)

    key: Annotated[Text, StringConstraints(min_length=1, max_length=1024)]
    filename: Annotated[Text, StringConstraints(min_length=1, max_length=1000)]
    mime_type: ShortText


class AgentChat(Request):
    """One user message to an agent; the answer arrives as events of the turn."""

    action: Literal["agentChat"]
    conversation_id: UUID
    message_id: UUID | None = None
    attachments: Annotated[list[AttachmentRef], Field(max_length=limits.MAX_ATTACHMENTS)] = []
    content: Annotated[Text, AfterValidator(_message_text)]
    """May be empty where a file is attached."""
    document_ids: Annotated[list[UUID], Field(max_length=20)] = []
    """Answer from these documents alone; none: from all that the agent may search."""
    page_context: ShortText | None = None
    entity_id: ShortText | None = None
    page_pathname: Annotated[Text, StringConstraints(max_length=500)] | None = None
    forced_tools: Annotated[list[ShortText], Field(max_length=50)] = []
    timezone: ShortText | None = None
    task_code: ShortText | None = None
    store: bool = True
    """False: the message and its answer are not kept, and are no part of what comes later. In a conversation that is
    not kept no message is."""
    model: Annotated[Text, StringConstraints(strip_whitespace=True, max_length=300)] | None = None
    """The model of this turn alone, `provider:model`; none: the agent's."""
    replaces: UUID | None = None
    """An earlier message of the user's: it and all after it give way to this one (edit and resend, regenerate)."""
    errors = (ErrorCode.TURN_IN_PROGRESS, ErrorCode.ATTACHMENT_FAILED, ErrorCode.CHAT_ERROR)


class ResumeTurn(Request):
    """Replay a turn's events after `afterSeq`, and watch it from this connection."""

    action: Literal["resumeTurn"]
    turn_id: UUID
    after_seq: Annotated[int, Field(ge=0)] = 0
    errors = (ErrorCode.CONVERSATION_NOT_FOUND,)


class CancelTurn(Request):
    """Stop a running turn; what was written so far stays."""

    action: Literal["cancelTurn"]
    turn_id: UUID
    errors = (ErrorCode.CONVERSATION_NOT_FOUND,)


class TurnTimeline(Request):
    """What happened in a turn, step by step: thoughts, tool calls and their results, sources, text, its end."""

    action: Literal["turnTimeline"]
    turn_id: UUID
    errors = (ErrorCode.CONVERSATION_NOT_FOUND,)


class GiveFeedback(Request):
    """Rate an answer that has ended, or the whole conversation where no `messageId` is given.

    Said again it replaces what was said; without a rating it takes it back.
    """

    action: Literal["giveFeedback"]
    conversation_id: UUID
    message_id: UUID | None = None
    rating: Annotated[int, Field(ge=1, le=5)] | None = None
    comment: Annotated[Text, StringConstraints(max_length=5000)] | None = None
    errors = (ErrorCode.CONVERSATION_NOT_FOUND,)


class RequestUpload(Request):
    """Announce a file; the reply says how to upload it (presigned POST).

    For an agent's knowledge, a file of the same name for the same agent replaces the one that is there. For a message,
    the reply's `key` goes into `attachments` of `agentChat`; `agentId` and `tags` mean nothing then.
    """

    action: Literal["requestUpload"]
    purpose: Literal["knowledge", "attachment"] = "knowledge"
    filename: Annotated[Text, StringConstraints(min_length=1, max_length=1000)]
    mime_type: ShortText = "application/octet-stream"
    size_bytes: Annotated[int, Field(ge=0)]
    agent_id: UUID | None = None
    tags: Annotated[list[ShortText], Field(max_length=20)] = []
    errors = (ErrorCode.ATTACHMENT_FAILED,)


class AttachmentUrl(Request):
    """Ask for an address at which a file of one's own message can be read for a few minutes."""

    action: Literal["attachmentUrl"]
    conversation_id: UUID
    message_id: UUID
    key: Annotated[Text, StringConstraints(min_length=1, max_length=1024)]
    errors = (ErrorCode.ATTACHMENT_FAILED,)


class ListDocuments(Request):
    """Documents of an agent (the caller's default one unless named), newest first."""

    action: Literal["listDocuments"]
    agent_id: UUID | None = None
    limit: Annotated[int, Field(ge=1, le=100)] = 50
    before: ShortText | None = None


class DeleteDocument(Request):
    """Remove a document with its chunks, vectors and file."""

    action: Literal["deleteDocument"]
    document_id: UUID


class ReadPassage(Request):
    """The whole passage that a source names by its `chunkId`; gone once its document is replaced or deleted."""

    action: Literal["readPassage"]
    chunk_id: UUID


ACTIONS: Final[dict[str, type[Request]]] = {
    "ping": Ping,
    "whoAmI": WhoAmI,
    "createConversation": CreateConversation,
    "listConversations": ListConversations,
    "updateConversation": UpdateConversation,
    "deleteConversation": DeleteConversation,
    "conversationMessages": ConversationMessages,
    "agentChat": AgentChat,
    "resumeTurn": ResumeTurn,
    "cancelTurn": CancelTurn,
    "turnTimeline": TurnTimeline,
    "giveFeedback": GiveFeedback,
    "requestUpload": RequestUpload,
    "attachmentUrl": AttachmentUrl,
    "listDocuments": ListDocuments,
    "deleteDocument": DeleteDocument,
    "readPassage": ReadPassage,
    "setModelCredential": model_requests.SetModelCredential,
    "listModelCredentials": model_requests.ListModelCredentials,
    "deleteModelCredential": model_requests.DeleteModelCredential,
    "listModels": model_requests.ListModels,
    "updateAgent": model_requests.UpdateAgent,
}
"""Every action, by name. The WebSocket API has one route for each, and $connect, $disconnect, $default."""
