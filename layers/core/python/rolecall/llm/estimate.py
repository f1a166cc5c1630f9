"""How many tokens a request has, roughly, without a tokenizer; the provider's own counts correct it by a factor."""

import json
from collections.abc import Mapping
from typing import Any, Final

BYTES_PER_TOKEN: Final = 4
TOKENS_PER_BYTE_BEYOND: Final = 0.4
"""Of characters outside ASCII: a Han character has three bytes and about one token, an emoji four and two."""
IMAGE_TOKENS: Final = 1_600
MESSAGE_TOKENS: Final = 4
PLAIN_FORMATS: Final = frozenset({"txt", "md", "csv", "html"})
FILE_BYTES_PER_TOKEN: Final = 40
"""Of documents that are packed or hold pictures, such as PDF and DOCX."""
FILE_TOKENS: Final = (1_500, 30_000)
"""Least and most tokens of such a document. A few have more; the model says so then, and is asked again with less.
Taken for too many, five scans would be refused though they fit."""


def text_tokens(text: str) -> int:
    """Estimate the tokens of a text: a quarter of its characters in English, about one a character in Chinese."""
    if text.isascii():
        return -(-len(text) // BYTES_PER_TOKEN)
    plain = len(text.encode("ascii", "ignore"))
    beyond = len(text.encode("utf-8", "surrogatepass")) - plain
    return int(plain / BYTES_PER_TOKEN + beyond * TOKENS_PER_BYTE_BEYOND) + 1


def request_tokens(request: Mapping[str, Any]) -> int:
    """Estimate the input tokens of a Converse request: instructions, tools, messages, files."""
    system = sum(text_tokens(block.get("text", "")) for block in request.get("system", []))
    tools = sum(_json_tokens(tool) for tool in request.get("toolConfig", {}).get("tools", []))
    return system + tools + sum(message_tokens(message) for message in request["messages"])


def message_tokens(message: Mapping[str, Any]) -> int:
    """Estimate the tokens of one message."""
    return MESSAGE_TOKENS + sum(_block_tokens(block) for block in message["content"])


def _block_tokens(block: Mapping[str, Any]) -> int:
    if "text" in block:
        return text_tokens(block["text"])
    if "image" in block:
        return IMAGE_TOKENS
    if "document" in block:
        return _document_tokens(block["document"])
    if "toolResult" in block:
        return sum(_block_tokens(part) for part in block["toolResult"]["content"]) + MESSAGE_TOKENS
    if "reasoningContent" in block:
        return text_tokens(block["reasoningContent"].get("reasoningText", {}).get("text", ""))
    return _json_tokens(block.get("toolUse", block.get("json", {})))


def _document_tokens(document: Mapping[str, Any]) -> int:
    size = len(document.get("source", {}).get("bytes", b""))
    if document.get("format") in PLAIN_FORMATS:
        return size // BYTES_PER_TOKEN + MESSAGE_TOKENS
    return file_tokens(size)


def file_tokens(size: int) -> int:
    """Estimate the tokens of a file of so many bytes, whatever it is."""
    least, most = FILE_TOKENS
    return min(max(size // FILE_BYTES_PER_TOKEN, least), most)


def _json_tokens(value: Any) -> int:
    return text_tokens(json.dumps(value, ensure_ascii=False, default=str))
