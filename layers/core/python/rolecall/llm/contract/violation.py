"""One broken rule, and walking a request's blocks."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Violation:
    """What is wrong where, in the service's words."""

    path: str
    """Such as `messages.1.content.0.text`."""
    rule: str
    """A short, stable name of the rule."""
    message: str


def messages_of(request: Mapping[str, Any]) -> list[Mapping[str, Any]]:
    """Return the request's messages; none when there are none."""
    return list(request.get("messages") or [])


def walk(request: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any], Mapping[str, Any]]]:
    """Yield (path, message, block) for each block of each message."""
    for i, message in enumerate(messages_of(request)):
        for j, block in enumerate(message.get("content") or []):
            yield f"messages.{i}.content.{j}", message, block


def walk_results(request: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield (path, part) for each content part of each tool result."""
    for path, _, block in walk(request):
        for k, part in enumerate(block.get("toolResult", {}).get("content") or []):
            yield f"{path}.toolResult.content.{k}", part
