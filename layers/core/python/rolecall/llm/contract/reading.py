"""A request of the right shape, walked once: every rule looks at the same lists."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

Block = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Reading:
    """A request's messages, blocks and parts of tool results, with their paths."""

    request: Mapping[str, Any]
    messages: Sequence[Block]
    blocks: Sequence[tuple[str, Block, Block]]
    """(path, message, block) for each block of each message."""
    parts: Sequence[tuple[str, Block]]
    """(path, part) for each content part of each tool result."""

    @classmethod
    def of(cls, request: Mapping[str, Any]) -> "Reading":
        """Walk a request."""
        messages = request["messages"]
        blocks = [
            (f"messages.{i}.content.{j}", message, block)
            for i, message in enumerate(messages)
            for j, block in enumerate(message["content"])
        ]
        parts = [
            (f"{path}.toolResult.content.{k}", part)
            for path, _, block in blocks
            if "toolResult" in block
            for k, part in enumerate(block["toolResult"]["content"])
        ]
        return cls(request, messages, blocks, parts)
