"""Cache points: those that stand where they may, four at most."""

from collections.abc import Mapping, Sequence
from typing import Any

from rolecall.llm.contract.caching import MAX_CACHE_POINTS, misplaced, stretches


def placed(blocks: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Drop the cache points that may not stand where they do."""
    kept: list[Mapping[str, Any]] = []
    for block in blocks:
        if "cachePoint" in block and misplaced([*kept, block], len(kept)):
            continue
        kept.append(block)
    return kept


def bounded(body: dict[str, Any]) -> dict[str, Any]:
    """Drop misplaced cache points of the messages, and the oldest there where all are too many.

    Tools and system come first: what stands there is the same in every request.
    """
    messages = [{**message, "content": placed(message["content"])} for message in body["messages"]]
    body = {**body, "messages": messages}
    count = sum("cachePoint" in block for _, blocks in stretches(body) for block in blocks)
    surplus = count - MAX_CACHE_POINTS
    for message in messages:
        message["content"], surplus = _without(message["content"], surplus)
    for owner, name in ((body, "system"), (body.get("toolConfig") or {}, "tools")):
        if surplus > 0 and name in owner:
            owner[name], surplus = _without(owner[name], surplus)
    return body


def _without(blocks: Sequence[Mapping[str, Any]], surplus: int) -> tuple[list[Mapping[str, Any]], int]:
    kept = []
    for block in blocks:
        if surplus > 0 and "cachePoint" in block:
            surplus -= 1
        else:
            kept.append(block)
    return kept, surplus
