"""Cache points in a request: what repeats from call to call is read from the provider's cache."""

from collections.abc import Sequence
from typing import Any, Final, cast

from rolecall.llm.capabilities import Capabilities, capabilities
from rolecall.llm.types import CachePoint, ContentBlock, ConverseRequest, Message

POINT: Final[CachePoint] = {"type": "default"}


def with_cache_points(request: ConverseRequest, model: str, *, past: int = 0) -> ConverseRequest:
    """Return the request with cache points after its tools, its system prompt and its past, where the model has any.

    A point stands only where what precedes it is long enough for the model to keep it. The past is where the next
    message of the conversation begins, too: what follows it (the turn's surroundings and words) will not repeat.

    Args:
        request: the request; it is not changed.
        model: the model's id without its provider.
        past: how many messages at its start will be there again, word for word, in the conversation's next request.
    """
    known = capabilities(model)
    if known.caching == "none":
        return request
    pointed: dict[str, Any] = {**request}
    tools: Sequence[Any] = request.get("toolConfig", {}).get("tools", [])
    before = estimated_tokens(tools)
    if tools and known.caching == "prompt_and_tools" and before >= known.min_cache_tokens:
        pointed["toolConfig"] = {**request["toolConfig"], "tools": [*tools, {"cachePoint": POINT}]}
    before += estimated_tokens(request.get("system", []))
    if request.get("system") and before >= known.min_cache_tokens:
        pointed["system"] = [*request["system"], {"cachePoint": POINT}]
    pointed["messages"] = _after_past(request["messages"], past, before, known)
    return cast("ConverseRequest", pointed)


def _after_past(messages: list[Message], past: int, before: int, known: Capabilities) -> list[Message]:
    """The point goes behind the last answer of the past: a question that is not answered merges with the next one."""
    ends = [i for i in range(min(past, len(messages))) if messages[i]["role"] == "assistant"]
    if not ends or before + estimated_tokens(messages[: ends[-1] + 1]) < known.min_cache_tokens:
        return messages
    last = messages[ends[-1]]
    if not last["content"] or "reasoningContent" in last["content"][-1]:
        return messages
    block: ContentBlock = {"cachePoint": POINT}
    pointed: Message = {"role": last["role"], "content": [*last["content"], block]}
    return [*messages[: ends[-1]], pointed, *messages[ends[-1] + 1 :]]


def estimated_tokens(value: Any) -> int:
    """Estimate the tokens of a part of a request, rather too few: four bytes a token, files by their size."""
    match value:
        case str():
            return len(value.encode("utf-8", "surrogatepass")) // 4
        case bytes():
            return len(value) // 750
        case dict():
            return sum(estimated_tokens(inner) for inner in value.values())
        case list() | tuple():
            return sum(estimated_tokens(inner) for inner in value)
    return 0
