"""Outputs of tools cut to a length, with a mark that says so; what is stored stays whole."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from rolecall.conversations.upkeep.transcript import shortened
from rolecall.llm.types import ContentBlock, Message, ToolResultContent


@dataclass(frozen=True, slots=True)
class Clip:
    """Most characters of one output: in earlier turns, and in this one."""

    past: int = 20_000
    now: int = 50_000


def clipped(messages: Iterable[Message], limit: int) -> list[Message]:
    """Return the messages with each tool output cut to `limit` characters."""
    return [{**message, "content": [_block(block, limit) for block in message["content"]]} for message in messages]


def _block(block: ContentBlock, limit: int) -> ContentBlock:
    if "toolResult" not in block:
        return block
    result = block["toolResult"]
    return {"toolResult": {**result, "content": [_part(part, limit) for part in result["content"]]}}


def _part(part: ToolResultContent, limit: int) -> ToolResultContent:
    told: Any = part.get("text")
    if "json" in part:
        told = json.dumps(part["json"], ensure_ascii=False)
    if told is None or len(told) <= limit:
        return part
    return {"text": shortened(told, limit)}
