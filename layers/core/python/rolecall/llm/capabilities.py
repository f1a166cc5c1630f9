"""What each model can do, by patterns over its id; a model that no pattern knows can do the least."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from rolecall.llm.types import ConverseRequest, Message

MIN_THINKING_BUDGET: Final = 1024
"""Anthropic refuses a smaller budget."""


@dataclass(frozen=True, kw_only=True)
class Capabilities:
    """What a request to a model may hold, and how long an answer may be."""

    thinking: Literal["none", "budget", "adaptive"] = "none"
    """How reasoning is asked for: by a token budget, or the model decides its depth."""
    tools: bool = False
    documents: bool = False
    images: bool = False
    context_tokens: int = 128_000
    """Most tokens of a request and its answer together. Of an unknown model a guess, which the provider corrects."""
    max_output_tokens: int = 4096
    caching: Literal["none", "prompt", "prompt_and_tools"] = "none"
    """Where a cache point may stand: nowhere, after the system prompt and messages, or after the tools as well."""
    min_cache_tokens: int = 1024
    """Tokens before a cache point; with fewer nothing is cached."""


def _claude(**known: Any) -> Capabilities:
    common = {"tools": True, "documents": True, "images": True, "context_tokens": 200_000}
    return Capabilities(**{**common, "caching": "prompt_and_tools", **known})


def _sees(**known: Any) -> Capabilities:
    return Capabilities(**{"tools": True, "documents": True, "images": True, **known})


def _reasons(**known: Any) -> Capabilities:
    return _sees(thinking="adaptive", **known)


_TABLE: Final = (
    (
        r"claude-[a-z]+-(4-[7-9]|[5-9])(?!\d)|claude-opus-4-6|claude-mythos|claude-fable",
        _claude(thinking="adaptive", max_output_tokens=128_000, min_cache_tokens=4096),
    ),
    (r"claude-[a-z]+-4-6(?!\d)", _claude(thinking="adaptive", max_output_tokens=64_000, min_cache_tokens=2048)),
    (r"claude-opus-4(-1)?-20", _claude(thinking="budget", max_output_tokens=32_000)),
    (r"claude-(opus|haiku)-4-5", _claude(thinking="budget", max_output_tokens=64_000, min_cache_tokens=4096)),
    (r"claude-(opus|sonnet|haiku)-4|claude-3-7-sonnet", _claude(thinking="budget", max_output_tokens=64_000)),
    (r"claude-3-5-haiku", _claude(max_output_tokens=8192, min_cache_tokens=2048)),
    (r"claude-3-5", _claude(max_output_tokens=8192, caching="none")),
    (r"claude-3", _claude(caching="none")),
    (
        r"amazon\.nova-micro",
        Capabilities(tools=True, context_tokens=128_000, max_output_tokens=5000, caching="prompt"),
    ),
    (
        r"amazon\.nova",
        Capabilities(
            tools=True,
            documents=True,
            images=True,
            context_tokens=300_000,
            max_output_tokens=5000,
            caching="prompt",
        ),
    ),
    (r"^gpt-5(?!.*chat)", _reasons(context_tokens=400_000, max_output_tokens=128_000)),
    (r"^o[134](-|$)", _reasons(context_tokens=200_000, max_output_tokens=100_000)),
    (r"^gpt-4\.1", _sees(context_tokens=1_000_000, max_output_tokens=32_768)),
    (r"^(gpt-|chatgpt-)", _sees(context_tokens=128_000, max_output_tokens=16_384)),
    (r"^gemini-(2\.5|[3-9])", _reasons(context_tokens=1_000_000, max_output_tokens=65_536)),
    (r"^gemini-", _sees(context_tokens=1_000_000, max_output_tokens=8192)),
    (
        r"^(.*/)?(gemma-?[3-9]|llama-?4|llama3\.2-vision|pixtral|mistral-small|qwen.*vl|llava)",
        Capabilities(tools=True, images=True, context_tokens=32_000, max_output_tokens=8192),
    ),
    (
        r"(?i)^(.*/)?(qwen|qwq|llama|mistral|mixtral|ministral|deepseek|gpt-oss|phi|glm|granite|command-r)",
        Capabilities(tools=True, context_tokens=32_000, max_output_tokens=8192),
    ),
    (
        r"rolecall\.offline",
        Capabilities(
            thinking="budget",
            tools=True,
            documents=True,
            images=True,
            context_tokens=200_000,
            max_output_tokens=8192,
            caching="prompt_and_tools",
            min_cache_tokens=512,
        ),
    ),
)


def capabilities(model: str) -> Capabilities:
    """Return what the model of this id (without its provider) can do."""
    return next((known for pattern, known in _TABLE if re.search(pattern, model)), Capabilities())


def with_thinking(request: ConverseRequest, model: str, *, budget: int) -> ConverseRequest:
    """Return the request with reasoning asked for, if the model reasons; else the request as it is.

    Args:
        request: the request; it is not changed.
        model: the model's id without its provider.
        budget: tokens the model may think; 0 asks for no reasoning. Raised to Anthropic's minimum; `maxTokens` grows
            by it, up to the model's limit, so that the answer keeps its room. Temperature and topP go, since thinking
            forbids them.
    """
    known = capabilities(model)
    if budget <= 0 or known.thinking == "none":
        return request
    if known.thinking == "budget" and not _may_start_thinking(request["messages"]):
        return request
    budget = max(budget, MIN_THINKING_BUDGET)
    inference: dict[str, Any] = {**request.get("inferenceConfig", {})}
    wanted = inference.get("maxTokens", 4096) + budget
    inference["maxTokens"] = min(wanted, known.max_output_tokens)
    budget = min(budget, inference["maxTokens"] - 1)
    for sampling in ("temperature", "topP"):
        inference.pop(sampling, None)
    thinking: dict[str, Any] = {"type": "adaptive"}
    if known.thinking == "budget":
        thinking = {"type": "enabled", "budget_tokens": budget}
    fields = {**request.get("additionalModelRequestFields", {}), "thinking": thinking}
    return cast(
        "ConverseRequest",
        {**request, "inferenceConfig": inference, "additionalModelRequestFields": fields},
    )


def thinks(request: ConverseRequest) -> bool:
    """Say whether a request asks for reasoning."""
    return "thinking" in request.get("additionalModelRequestFields", {})


def _may_start_thinking(messages: Sequence[Message]) -> bool:
    """A model with a budget refuses to think in a round of tools that it began without: its first answer to the user
    has to start with reasoning."""
    first: Message | None = None
    for message in reversed(messages):
        if message["role"] == "assistant":
            first = message
        elif not any("toolResult" in block for block in message["content"]):
            break
    return first is None or "reasoningContent" in first["content"][0]
