"""The parts of a Converse request and what each may hold, as botocore's service model has it."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

Leaf = Literal["text", "bytes", "json", "object", "number", "integer", "boolean"]
"""`json` is any JSON value; `object` is a structure that this product never sends and does not look into."""


@dataclass(frozen=True, slots=True, eq=False)
class ListOf:
    """A list of parts of one kind."""

    item: "Kind"


@dataclass(frozen=True, slots=True, eq=False)
class Part:
    """A structure with named fields; a `union` sets exactly one of them."""

    fields: Mapping[str, "Kind"]
    required: frozenset[str] = frozenset()
    union: bool = False


Kind = Leaf | ListOf | Part


def _part(*required: str, **fields: Kind) -> Part:
    return Part(fields, frozenset(required))


def _union(**fields: Kind) -> Part:
    return Part(fields, union=True)


_S3: Final = _part("uri", uri="text", bucketOwner="text")
IMAGE: Final = _part("format", "source", format="text", source=_union(bytes="bytes", s3Location=_S3), error="object")
DOCUMENT: Final = _part(
    "name",
    "source",
    format="text",
    name="text",
    source=_union(bytes="bytes", s3Location=_S3, text="text", content=ListOf(_union(text="text"))),
    context="text",
    citations="object",
)
CACHE_POINT: Final = _part("type", type="text", ttl="text")
TOOL_USE: Final = _part("toolUseId", "name", "input", toolUseId="text", name="text", input="json", type="text")
RESULT_PART: Final = _union(
    json="json", text="text", image=IMAGE, document=DOCUMENT, video="object", searchResult="object"
)
TOOL_RESULT: Final = _part(
    "toolUseId", "content", toolUseId="text", content=ListOf(RESULT_PART), status="text", type="text"
)
REASONING: Final = _union(reasoningText=_part("text", text="text", signature="text"), redactedContent="bytes")
BLOCK: Final = _union(
    text="text",
    image=IMAGE,
    document=DOCUMENT,
    video="object",
    audio="object",
    toolUse=TOOL_USE,
    toolResult=TOOL_RESULT,
    guardContent="object",
    cachePoint=CACHE_POINT,
    reasoningContent=REASONING,
    citationsContent="object",
    searchResult="object",
    toolAddition="object",
    toolRemoval="object",
)
MESSAGE: Final = _part("role", "content", role="text", content=ListOf(BLOCK))
SYSTEM_BLOCK: Final = _union(text="text", guardContent="object", cachePoint=CACHE_POINT)
_TOOL_SPEC: Final = _part(
    "name", "inputSchema", name="text", description="text", inputSchema=_union(json="json"), strict="boolean"
)
TOOL: Final = _union(toolSpec=_TOOL_SPEC, systemTool=_part("name", name="text"), cachePoint=CACHE_POINT)
REQUEST: Final = _part(
    "messages",
    messages=ListOf(MESSAGE),
    system=ListOf(SYSTEM_BLOCK),
    inferenceConfig=_part(maxTokens="integer", temperature="number", topP="number", stopSequences=ListOf("text")),
    toolConfig=_part(
        "tools",
        tools=ListOf(TOOL),
        toolChoice=_union(auto="object", any="object", tool=_part("name", name="text")),
    ),
    guardrailConfig="object",
    projectIdentifier="text",
    additionalModelRequestFields="json",
    promptVariables="object",
    additionalModelResponseFieldPaths=ListOf("text"),
    requestMetadata="object",
    performanceConfig="object",
    serviceTier="object",
    outputConfig="object",
)
