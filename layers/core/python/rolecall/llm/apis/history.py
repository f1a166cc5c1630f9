"""A Converse request's messages as pydantic-ai's: the same conversation for a house that speaks another tongue."""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from pydantic_ai.messages import (
    BinaryContent,
    CachePoint,
    ModelMessage,
    ModelRequest,
    ModelRequestPart,
    ModelResponse,
    ModelResponsePart,
    SystemPromptPart,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserContent,
    UserPromptPart,
)

from rolecall.llm.apis.house import House
from rolecall.llm.types import (
    ContentBlock,
    ConverseRequest,
    DocumentBlock,
    ImageBlock,
    ReasoningBlock,
    ToolResultBlock,
)

_LONGEST_ID: Final = 40
"""OpenAI takes no longer id of a call, Anthropic none with other characters than these."""
_LEGAL_ID: Final = re.compile(r"[A-Za-z0-9_-]{1,40}")
_TEXTS: Final = {"txt", "md", "csv", "html"}
REDACTED: Final = "redacted_thinking"
"""How pydantic-ai names reasoning that only its model can read."""


def call_id(known: str) -> str:
    """Return a call's id as every house takes it; always the same for the same id."""
    if _LEGAL_ID.fullmatch(known):
        return known
    digest = hashlib.sha256(known.encode()).hexdigest()[:16]
    return f"{re.sub('[^A-Za-z0-9_-]', '_', known)[: _LONGEST_ID - 17]}-{digest}"


def messages_of(request: ConverseRequest, house: House) -> list[ModelMessage]:
    """Write the request's system prompt and messages for a house.

    Results come before the user's words, as every house wants them. Reasoning is left out where the house would
    refuse it; a document that it cannot read leaves a note.
    """
    names: dict[str, str] = {}
    written: list[ModelMessage] = []
    for message in request["messages"]:
        if message["role"] == "user":
            written.append(ModelRequest(parts=_heard(message["content"], house, names)))
        elif said := list(_said(message["content"], house, names)):
            written.append(ModelResponse(parts=said, provider_name=house.signed_by))
    if system := "\n\n".join(block["text"] for block in request.get("system", []) if "text" in block):
        _lead(written, SystemPromptPart(content=system))
    return written


def _lead(written: list[ModelMessage], system: SystemPromptPart) -> None:
    first = written[0] if written else None
    if isinstance(first, ModelRequest):
        written[0] = ModelRequest(parts=[system, *first.parts])
    else:
        written.insert(0, ModelRequest(parts=[system]))


def _heard(blocks: Sequence[ContentBlock], house: House, names: Mapping[str, str]) -> list[ModelRequestPart]:
    results: list[ModelRequestPart] = [
        _result(block["toolResult"], house, names) for block in blocks if "toolResult" in block
    ]
    content = [item for block in blocks if (item := _content(block, house)) is not None]
    if not any(not isinstance(item, CachePoint) for item in content):
        return results
    if all(isinstance(item, str) for item in content):  # a plain string: some servers take nothing else
        return [*results, UserPromptPart(content="\n\n".join(str(item) for item in content))]
    return [*results, UserPromptPart(content=content)]


def _content(block: ContentBlock, house: House) -> UserContent | None:
    if "text" in block:
        return block["text"]
    if "image" in block:
        return _image(block["image"])
    if "document" in block:
        return _document(block["document"], house)
    return CachePoint() if "cachePoint" in block and house.caches else None


def _image(image: ImageBlock) -> BinaryContent:
    return BinaryContent(image["source"]["bytes"], media_type=f"image/{image['format']}")


def _document(document: DocumentBlock, house: House) -> str | BinaryContent:
    name, data = document["name"], document["source"]["bytes"]
    if document["format"] in _TEXTS:
        return f"<document name={json.dumps(name)}>\n{data.decode('utf-8', 'replace')}\n</document>"
    if document["format"] == "pdf" and house.pdfs:
        return BinaryContent(data, media_type="application/pdf")
    return f"(The document {name!r} is attached, but this model cannot read {document['format']} files.)"


def _result(result: ToolResultBlock, house: House, names: Mapping[str, str]) -> ToolReturnPart:
    items: list[Any] = []
    for part in result["content"]:
        if "json" in part:
            items.append(part["json"])
        elif "image" in part:
            items.append(_image(part["image"]))
        elif "document" in part:
            items.append(_document(part["document"], house))
        else:
            items.append(part["text"])
    return ToolReturnPart(
        tool_name=names.get(result["toolUseId"], "tool"),
        content=items[0] if len(items) == 1 else items,
        tool_call_id=call_id(result["toolUseId"]),
        outcome="failed" if result.get("status") == "error" else "success",
    )


def _said(blocks: Sequence[ContentBlock], house: House, names: dict[str, str]) -> Iterator[ModelResponsePart]:
    for block in blocks:
        if "text" in block:
            yield TextPart(content=block["text"])
        elif "toolUse" in block:
            use = block["toolUse"]
            names[use["toolUseId"]] = use["name"]
            yield ToolCallPart(tool_name=use["name"], args=use["input"], tool_call_id=call_id(use["toolUseId"]))
        elif "reasoningContent" in block and house.signed_by:
            yield from _reasoning(block["reasoningContent"], house.signed_by)


def _reasoning(reasoning: ReasoningBlock, signed_by: str) -> Iterator[ThinkingPart]:
    if "redactedContent" in reasoning:
        sealed = reasoning["redactedContent"].decode("ascii", "replace")
        yield ThinkingPart(content="", id=REDACTED, signature=sealed, provider_name=signed_by)
    elif signature := reasoning.get("reasoningText", {}).get("signature"):
        text = reasoning["reasoningText"].get("text", "")
        yield ThinkingPart(content=text, signature=signature, provider_name=signed_by)
