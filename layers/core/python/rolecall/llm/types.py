"""Bedrock Converse's wire format: the one shape of a model request, whichever provider answers it."""

from typing import Any, Literal, TypedDict

Role = Literal["user", "assistant"]


class BytesSource(TypedDict):
    """Where an image's or a document's bytes are: in the request itself."""

    bytes: bytes


class ImageBlock(TypedDict):
    """An image that the model may look at."""

    format: str
    source: BytesSource


class DocumentBlock(TypedDict):
    """A document; its name is legal and unique in the whole request."""

    format: str
    name: str
    source: BytesSource


class ToolUseBlock(TypedDict):
    """A call that the model asks for."""

    toolUseId: str
    name: str
    input: dict[str, Any]


class ToolResultContent(TypedDict, total=False):
    """One part of a tool's result; `json` is an object."""

    text: str
    json: dict[str, Any]
    image: ImageBlock
    document: DocumentBlock


class _ToolResultRequired(TypedDict):
    toolUseId: str
    content: list[ToolResultContent]


class ToolResultBlock(_ToolResultRequired, total=False):
    """The answer to one call."""

    status: Literal["success", "error"]


class ReasoningText(TypedDict, total=False):
    """What the model thought, with the signature that lets it be replayed."""

    text: str
    signature: str


class ReasoningBlock(TypedDict, total=False):
    """Reasoning, in clear or redacted."""

    reasoningText: ReasoningText
    redactedContent: bytes


class CachePoint(TypedDict):
    """Up to here the prompt may be cached."""

    type: Literal["default"]


class ContentBlock(TypedDict, total=False):
    """One block of a message: exactly one of these keys is set."""

    text: str
    image: ImageBlock
    document: DocumentBlock
    toolUse: ToolUseBlock
    toolResult: ToolResultBlock
    reasoningContent: ReasoningBlock
    cachePoint: CachePoint


class Message(TypedDict):
    """One message of the conversation."""

    role: Role
    content: list[ContentBlock]


class SystemBlock(TypedDict, total=False):
    """One part of the system prompt."""

    text: str
    cachePoint: CachePoint


class InputSchema(TypedDict):
    """A tool's parameters as JSON Schema."""

    json: dict[str, Any]


class ToolSpec(TypedDict):
    """A tool that the model may call."""

    name: str
    description: str
    inputSchema: InputSchema


class Tool(TypedDict, total=False):
    """One entry of the tool list."""

    toolSpec: ToolSpec
    cachePoint: CachePoint


class _ToolConfigRequired(TypedDict):
    tools: list[Tool]


class ToolConfig(_ToolConfigRequired, total=False):
    """The tools offered, and whether one must be called (`auto`, `any`, `tool`)."""

    toolChoice: dict[str, Any]


class InferenceConfig(TypedDict, total=False):
    """How the answer is drawn."""

    maxTokens: int
    temperature: float
    topP: float
    stopSequences: list[str]


class _ConverseRequired(TypedDict):
    messages: list[Message]


class ConverseRequest(_ConverseRequired, total=False):
    """A Converse body; the model's id is not in it but in the `ModelSpec`."""

    system: list[SystemBlock]
    toolConfig: ToolConfig
    inferenceConfig: InferenceConfig
    additionalModelRequestFields: dict[str, Any]
