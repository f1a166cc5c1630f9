"""What each model can do, by patterns over its id; a model that no pattern knows can do the least."""

import re
from dataclasses import dataclass
from typing import Any, Final, Literal, cast

from rolecall.llm.types import ConverseRequest

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
    max_output_tokens: int = 4096


_TABLE: Final = (
    (
        r"claude-[a-z]+-(4-[7-9]|[5-9])(?!\d)|claude-opus-4-6|claude-mythos|claude-fable",
        Capabilities(thinking="adaptive", tools=True, documents=True, images=True, max_output_tokens=128_000),
    ),
    (
        r"claude-[a-z]+-4-6(?!\d)",
        Capabilities(thinking="adaptive", tools=True, documents=True, images=True, max_output_tokens=64_000),
    ),
    (
        r"claude-opus-4(-1)?-20",
        Capabilities(thinking="budget", tools=True, documents=True, images=True, max_output_tokens=32_000),
    ),
    (
        r"claude-(opus|sonnet|haiku)-4|claude-3-7-sonnet",
        Capabilities(thinking="budget", tools=True, documents=True, images=True, max_output_tokens=64_000),
    ),
    (r"claude-3-5", Capabilities(tools=True, documents=True, images=True, max_output_tokens=8192)),
    (r"claude-3", Capabilities(tools=True, documents=True, images=True)),
    (r"amazon\.nova-micro", Capabilities(tools=True, max_output_tokens=5000)),
    (r"amazon\.nova", Capabilities(tools=True, documents=True, images=True, max_output_tokens=5000)),
    (
        r"rolecall\.offline",
        Capabilities(thinking="budget", tools=True, documents=True, images=True, max_output_tokens=8192),
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
        budget: tokens the model may think. Raised to Anthropic's minimum; `maxTokens` grows by it, up to the model's
            limit, so that the answer keeps its room. Temperature and topP go, since thinking forbids them.
    """
    known = capabilities(model)
    if known.thinking == "none":
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
