"""What the replies' `data` holds, action by action. Documents the wire; a functional test holds it to the truth."""

from typing import Any, Final, Literal

from rolecall.protocol import model_replies
from rolecall.protocol.base import Data


class Me(Data):
    """The caller. Times are ISO 8601, money is credits."""

    user_id: str
    name: str
    email: str
    title: str | None
    location: str | None
    view_mode: Literal["JOB_SEEKER", "EMPLOYER"]
    company_id: str | None
    company_name: str | None
    role_in_company: str | None
    plan: str | None
    subscription_status: str | None
    credit_balance: float | None
    locale: str
    timezone: str | None


class Company(Data):
    """A company in which the caller has a role."""

    company_id: str
    name: str
    role: str


class AgentSummary(Data):
    """An agent that the caller may talk to, and what its kind allows."""

    agent_id: str
    name: str
    description: str | None
    type: str
    kind: str
    status: str
    is_system: bool
    scope: Literal["company", "user"]
    llm_model: str | None
    """The model that it was given; null: the default."""
    capabilities: dict[str, bool | str]


class WhoAmIData(Data):
    """Reply to `whoAmI`. A visitor without an account gets the public agents."""

    anonymous: bool
    user: Me | None
    """Null for a visitor."""
    mode: Literal["recruiter", "job_seeker", "visitor"]
    companies: list[Company]
    agents: list[AgentSummary]
    default_agent_id: str | None


class Feedback(Data):
    """What its person said of an answer or of a conversation; 1 is bad, 5 is good."""

    rating: int
    comment: str | None


class ConversationSummary(Data):
    """A conversation."""

    conversation_id: str
    agent_id: str
    title: str | None
    status: Literal["ACTIVE", "ARCHIVED", "DELETED"]
    task_code: str | None
    message_count: int
    last_message_at: str
    created_at: str
    feedback: Feedback | None


class ConversationData(Data):
    """Reply to `createConversation` and `updateConversation`."""

    conversation: ConversationSummary


class DeletedConversation(Data):
    """Reply to `deleteConversation`."""

    conversation_id: str
    deleted: bool


class ConversationPage(Data):
    """Reply to `listConversations`; `next` is the cursor of the page after, if there may be one."""

    conversations: list[ConversationSummary]
    next: str | None


class ToolCallSummary(Data):
    """A tool call of a stored turn. Without `success` it has not ended."""

    tool_call_id: str
    tool_name: str
    tool_type: str | None
    input: dict[str, Any]
    hop: int
    status: str
    success: bool | None = None
    output: Any = None
    execution_time_ms: int | None = None


class Segment(Data):
    """A piece of a stored answer, in the order in which it came."""

    type: Literal["text", "reasoning", "tool_call"]
    hop: int
    text: str | None = None
    tool_call_id: str | None = None


class StoredAttachment(Data):
    """A file of a message; `attachmentUrl` gives its address. The type is what its bytes are."""

    key: str
    filename: str
    mime_type: str
    size_bytes: int


class StoredMessage(Data):
    """A message as it is kept. `attachments` is there for the user's, what follows it for answers only."""

    message_id: str
    role: Literal["USER", "ASSISTANT"]
    status: Literal["STREAMING", "AWAITING_APPROVAL", "COMPLETED", "FAILED"]
    content: str
    created_at: str
    attachments: list[StoredAttachment] | None = None
    turn_id: str | None = None
    content_segments: list[Segment] | None = None
    tool_calls: list[ToolCallSummary] | None = None
    sources: list[dict[str, Any]] | None = None
    stop_reason: str | None = None
    error_code: str | None = None
    error_message: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None
    total_time_ms: int | None = None
    feedback: Feedback | None = None


class MessagePage(Data):
    """Reply to `conversationMessages`; `next` is the cursor of the page before (older), if there may be one."""

    messages: list[StoredMessage]
    next: str | None


class AcceptedMessage(Data):
    """Reply to `agentChat`: the turn that answers, and whether the message had been sent before."""

    turn_id: str
    message_id: str
    repeated: bool


class ResumedTurn(Data):
    """Reply to `resumeTurn`: the turn's state, and the last number given out when it was looked at."""

    turn_id: str
    status: Literal["RUNNING", "ENDED", "STREAMING", "AWAITING_APPROVAL", "COMPLETED", "FAILED"]
    head_seq: int


class CancelledTurn(Data):
    """Reply to `cancelTurn`; not cancelled: it had ended."""

    turn_id: str
    cancelled: bool


class TimelineEntry(Data):
    """A step of a turn. `at` is when it began, where that is kept; `ms` how long it took."""

    kind: Literal["status", "thought", "tool_call", "tool_result", "sources", "text"]
    hop: int | None = None
    at: str | None = None
    ms: int | None = None
    text: str | None = None
    """A thought, a piece of the answer, or a status in words."""
    tool_call_id: str | None = None
    tool_name: str | None = None
    input: dict[str, Any] | None = None
    output: Any = None
    success: bool | None = None
    sources: list[dict[str, Any]] | None = None
    status: str | None = None


class Timeline(Data):
    """Reply to `turnTimeline`; in the order in which it happened."""

    turn_id: str
    conversation_id: str
    model: str | None
    entries: list[TimelineEntry]


class GivenFeedback(Data):
    """Reply to `giveFeedback`."""

    conversation_id: str
    message_id: str | None
    feedback: Feedback | None


class UploadForm(Data):
    """Reply to `requestUpload`: post `fields` and then the file, as a form, to `url`.

    For an agent's knowledge it names the document, for a message's file the `key` that `agentChat` takes.
    """

    document_id: str | None = None
    replaces: bool | None = None
    key: str | None = None
    expires_at: int | None = None
    """Until when the form is good, in seconds since 1970."""
    url: str
    fields: dict[str, str]


class AttachmentAddress(Data):
    """Reply to `attachmentUrl`: where the file may be read, without any other sign of who asks, until `expiresAt`."""

    url: str
    filename: str
    mime_type: str
    size_bytes: int
    expires_at: int


class DocumentSummary(Data):
    """A document. `status` COMPLETED and FAILED end it; the latter says why, and what to do. No field is null."""

    document_id: str
    agent_id: str | None = None
    filename: str
    title: str | None = None
    mime_type: str
    size_bytes: int
    etag: str | None = None
    status: Literal["PENDING", "PROCESSING", "CHUNKING", "EMBEDDING", "COMPLETED", "FAILED"]
    error_code: str | None = None
    message: str | None = None
    recovery_hint: str | None = None
    rag_enabled: bool
    tags: list[str]
    category: str | None = None
    page_count: int | None = None
    chunk_count: int
    created_at: str
    updated_at: str
    completed_at: str | None = None


class DocumentPage(Data):
    """Reply to `listDocuments`; `next` is the cursor of the page after, if there may be one."""

    documents: list[DocumentSummary]
    next: str | None


class DeletedDocument(Data):
    """Reply to `deleteDocument`."""

    document_id: str
    deleted: bool


class PassageText(Data):
    """Reply to `readPassage`; offsets count characters of the document's extracted text."""

    chunk_id: str
    document_id: str
    filename: str
    content: str
    section: str | None
    page: int | None
    page_to: int | None
    char_from: int
    char_to: int


REPLIES: Final[dict[str, type[Data]]] = {
    "whoAmI": WhoAmIData,
    "createConversation": ConversationData,
    "listConversations": ConversationPage,
    "updateConversation": ConversationData,
    "deleteConversation": DeletedConversation,
    "conversationMessages": MessagePage,
    "agentChat": AcceptedMessage,
    "resumeTurn": ResumedTurn,
    "cancelTurn": CancelledTurn,
    "turnTimeline": Timeline,
    "giveFeedback": GivenFeedback,
    "requestUpload": UploadForm,
    "attachmentUrl": AttachmentAddress,
    "listDocuments": DocumentPage,
    "deleteDocument": DeletedDocument,
    "readPassage": PassageText,
    "setModelCredential": model_replies.StoredModelKey,
    "listModelCredentials": model_replies.ModelKeys,
    "deleteModelCredential": model_replies.DeletedModelKey,
    "listModels": model_replies.ModelList,
    "updateAgent": model_replies.UpdatedAgent,
}
"""By action. `ping` is answered by `Pong`, which holds no data."""
