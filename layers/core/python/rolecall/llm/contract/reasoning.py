"""Reasoning in history: signed, never last, only while the model thinks, and at the head of the turn that goes on."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rolecall.llm.contract.reading import Reading
from rolecall.llm.contract.violation import Violation


def check(reading: Reading) -> Iterator[Violation]:
    """Yield what is wrong with reasoning blocks, and with their absence."""
    mode = thinking_of(reading.request)
    messages = reading.messages
    for i, message in enumerate(messages):
        content = message["content"]
        for j, block in enumerate(content):
            if "reasoningContent" in block:
                yield from _block(f"messages.{i}.content.{j}.reasoningContent", message, block, mode)
        if ends_in_reasoning(content):
            text = f"messages.{i}: The final block in an assistant message cannot be `thinking`."
            yield Violation(f"messages.{i}.content", "reasoning_last", text)
    if mode == "enabled" and (at := thoughtless(messages)) is not None:
        text = (
            f"messages.{at}.content.0.type: Expected `thinking` or `redacted_thinking`. When `thinking` is enabled, a "
            "final `assistant` message must start with a thinking block (preceeding the lastmost set of `tool_use` and "
            "`tool_result` blocks)."
        )
        yield Violation(f"messages.{at}.content.0", "thinking_first", text)


def _block(path: str, message: Mapping[str, Any], block: Mapping[str, Any], mode: str | None) -> Iterator[Violation]:
    if message["role"] != "assistant":
        text = f"The reasoningContent block at {path} is only allowed in an assistant message."
        yield Violation(path, "reasoning_role", text)
    if not is_signed(block):
        yield Violation(f"{path}.signature", "reasoning_signature", f"{path}.signature: Field required")
    if mode is None:
        text = f"{path}: When thinking is disabled, a message cannot contain `thinking`."
        yield Violation(path, "reasoning_off", text)


def thinking_of(request: Mapping[str, Any]) -> str | None:
    """How the request asks for reasoning: "enabled" (a budget), "adaptive", or None where it does not."""
    fields = request.get("additionalModelRequestFields")
    thinking = fields.get("thinking") if isinstance(fields, dict) else None
    mode = thinking.get("type") if isinstance(thinking, dict) else None
    return mode if mode in ("enabled", "adaptive") else None


def is_signed(block: Mapping[str, Any]) -> bool:
    """Say whether a reasoning block carries what lets it be replayed."""
    reasoning = block["reasoningContent"]
    return bool(reasoning.get("redactedContent") or reasoning.get("reasoningText", {}).get("signature"))


def ends_in_reasoning(content: Sequence[Mapping[str, Any]]) -> bool:
    """Say whether a message's last block, cache points apart, is reasoning."""
    last = next((block for block in reversed(content) if "cachePoint" not in block), None)
    return last is not None and "reasoningContent" in last


def thoughtless(messages: Sequence[Mapping[str, Any]]) -> int | None:
    """The place of the assistant message that begins the turn which goes on with tool results, without reasoning.

    None where no turn goes on, or where it begins with reasoning. Only with a thinking budget does the model ask
    for it; the turn's later messages need none.
    """
    at = len(messages) - 1
    while at >= 1 and messages[at]["role"] == "user" and _has_result(messages[at]):
        at -= 2
    first = at + 1
    if first >= len(messages) or messages[first]["role"] != "assistant":
        return None
    return None if "reasoningContent" in (messages[first]["content"] or [{}])[0] else first


def _has_result(message: Mapping[str, Any]) -> bool:
    return any("toolResult" in block for block in message["content"])
