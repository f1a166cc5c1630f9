"""Cache points: at most four, each after something that can be cached."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rolecall.llm.contract.reading import Reading
from rolecall.llm.contract.violation import Violation

MAX_CACHE_POINTS: Final = 4
TTLS: Final = frozenset({"5m", "1h"})


def check(reading: Reading) -> Iterator[Violation]:
    """Yield what is wrong with cache points in tools, system and messages."""
    count = 0
    for path, blocks in stretches(reading.request):
        for j, block in enumerate(blocks):
            if "cachePoint" not in block:
                continue
            count += 1
            if problem := misplaced(blocks, j):
                yield Violation(f"{path}.{j}.cachePoint", "cache_place", problem)
            if not is_legal_point(block["cachePoint"]):
                text = f"The value at {path}.{j}.cachePoint must be of type default."
                yield Violation(f"{path}.{j}.cachePoint", "cache_type", text)
    if count > MAX_CACHE_POINTS:
        text = f"A maximum of {MAX_CACHE_POINTS} blocks with cache_control may be provided. Found {count}."
        yield Violation("messages", "cache_count", text)


def stretches(request: Mapping[str, Any]) -> Iterator[tuple[str, Sequence[Mapping[str, Any]]]]:
    """Yield (path, blocks) of each list that may hold cache points, in the order in which the model reads them."""
    yield "toolConfig.tools", (request.get("toolConfig") or {}).get("tools") or []
    yield "system", request.get("system") or []
    for i, message in enumerate(request["messages"]):
        yield f"messages.{i}.content", message["content"]


def misplaced(blocks: Sequence[Mapping[str, Any]], at: int) -> str | None:
    """Say why a cache point may not stand at its place in a list; None where it may."""
    if at == 0:
        return "There is nothing available to cache."
    before = blocks[at - 1]
    if "reasoningContent" in before:
        return "Cache point cannot be inserted after reasoning block."
    if "cachePoint" in before:
        return "Cache point cannot be inserted after another one."
    if "document" in before and before["document"].get("format") != "pdf":
        return "Cache point cannot be inserted right after a document other than PDF: type: Field required"
    return None


def is_legal_point(point: Mapping[str, Any]) -> bool:
    """Say whether the point itself is one that the service knows."""
    return point.get("type") == "default" and point.get("ttl", "5m") in TTLS
