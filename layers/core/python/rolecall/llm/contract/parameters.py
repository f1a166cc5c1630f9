"""How the answer is drawn: limits of inference parameters, alone and together with thinking."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rolecall.llm.contract.reading import Reading
from rolecall.llm.contract.reasoning import thinking_of
from rolecall.llm.contract.violation import Violation
from rolecall.llm.text import is_blank

MIN_THINKING_BUDGET: Final = 1024
MIN_THINKING_TOP_P: Final = 0.95
MAX_STOP_SEQUENCES: Final = 2500


def check(reading: Reading) -> Iterator[Violation]:
    """Yield what is wrong with inferenceConfig and with thinking."""
    request = reading.request
    config = request.get("inferenceConfig") or {}
    maximum = config.get("maxTokens")
    if maximum is not None and maximum < 1:
        message = "The value at inferenceConfig.maxTokens must be greater than or equal to 1."
        yield Violation("inferenceConfig.maxTokens", "max_tokens", message)
    for name in ("temperature", "topP"):
        if name in config and not 0 <= config[name] <= 1:
            message = f"The value at inferenceConfig.{name} must be between 0 and 1."
            yield Violation(f"inferenceConfig.{name}", "zero_to_one", message)
    sequences = config.get("stopSequences", [])
    if len(sequences) > MAX_STOP_SEQUENCES or any(is_blank(sequence) for sequence in sequences):
        message = "stop_sequences: each stop sequence must contain non-whitespace"
        yield Violation("inferenceConfig.stopSequences", "stop_sequences", message)
    fields = request.get("additionalModelRequestFields")
    if fields is not None and not isinstance(fields, dict):
        message = "The value at additionalModelRequestFields must be a json object."
        yield Violation("additionalModelRequestFields", "additional_fields", message)
    if mode := thinking_of(request):
        yield from _thinking(request, config, mode)


def _thinking(request: Mapping[str, Any], config: Mapping[str, Any], mode: str) -> Iterator[Violation]:
    if mode == "enabled":
        budget = request["additionalModelRequestFields"]["thinking"].get("budget_tokens")
        yield from _budget(budget, config.get("maxTokens"))
    if config.get("temperature", 1) != 1:
        message = "`temperature` may only be set to 1 when thinking is enabled."
        yield Violation("inferenceConfig.temperature", "thinking_temperature", message)
    if config.get("topP", 1) < MIN_THINKING_TOP_P:
        message = f"`top_p` must be greater than or equal to {MIN_THINKING_TOP_P} when thinking is enabled."
        yield Violation("inferenceConfig.topP", "thinking_top_p", message)
    if ((request.get("toolConfig") or {}).get("toolChoice") or {}).keys() & {"any", "tool"}:
        message = "Thinking may not be enabled when tool_choice forces tool use."
        yield Violation("toolConfig.toolChoice", "thinking_tool_choice", message)


def _budget(budget: object, maximum: int | None) -> Iterator[Violation]:
    path = "additionalModelRequestFields.thinking.budget_tokens"
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < MIN_THINKING_BUDGET:
        message = f"thinking.budget_tokens: Input should be greater than or equal to {MIN_THINKING_BUDGET}"
        yield Violation(path, "thinking_budget", message)
    elif maximum is not None and maximum <= budget:
        message = "`max_tokens` must be greater than `thinking.budget_tokens`."
        yield Violation(path, "thinking_budget", message)
