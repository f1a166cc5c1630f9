"""How the answer is drawn: limits of inference parameters, alone and together with thinking."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rolecall.llm.contract.violation import Violation

MIN_THINKING_BUDGET: Final = 1024


def check(request: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what is wrong with inferenceConfig and with thinking."""
    config = request.get("inferenceConfig") or {}
    maximum, temperature = config.get("maxTokens"), config.get("temperature")
    if maximum is not None and (isinstance(maximum, bool) or not isinstance(maximum, int) or maximum < 1):
        message = "The value at inferenceConfig.maxTokens must be greater than or equal to 1."
        yield Violation("inferenceConfig.maxTokens", "max_tokens", message)
    for name in ("temperature", "topP"):
        value = config.get(name)
        if value is not None and not 0 <= value <= 1:
            message = f"The value at inferenceConfig.{name} must be between 0 and 1."
            yield Violation(f"inferenceConfig.{name}", "zero_to_one", message)
    thinking = (request.get("additionalModelRequestFields") or {}).get("thinking") or {}
    if thinking.get("type") == "enabled":
        yield from _budget(thinking.get("budget_tokens"), maximum)
    if thinking.get("type") in ("enabled", "adaptive") and temperature not in (None, 1):
        message = "`temperature` may only be set to 1 when thinking is enabled."
        yield Violation("inferenceConfig.temperature", "thinking_temperature", message)


def _budget(budget: object, maximum: object) -> Iterator[Violation]:
    path = "additionalModelRequestFields.thinking.budget_tokens"
    if not isinstance(budget, int) or budget < MIN_THINKING_BUDGET:
        message = f"thinking.budget_tokens: Input should be greater than or equal to {MIN_THINKING_BUDGET}"
        yield Violation(path, "thinking_budget", message)
    elif isinstance(maximum, int) and maximum <= budget:
        message = "`max_tokens` must be greater than `thinking.budget_tokens`."
        yield Violation(path, "thinking_budget", message)
