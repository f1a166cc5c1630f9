"""How the answer is drawn: what is out of range comes back into it; thinking goes where history forbids it."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rolecall.llm.contract.parameters import MAX_STOP_SEQUENCES, MIN_THINKING_BUDGET, MIN_THINKING_TOP_P
from rolecall.llm.contract.reasoning import thinking_of, thoughtless
from rolecall.llm.repair.blocks import Message
from rolecall.llm.text import is_blank


def thinks(body: Mapping[str, Any]) -> bool:
    """Say whether the request asks for reasoning."""
    return thinking_of(body) is not None


def legal(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return a copy of the request whose parameters are legal; what is None in it goes."""
    body = {name: value for name, value in request.items() if value is not None}
    if not isinstance(body.get("additionalModelRequestFields", {}), dict):
        del body["additionalModelRequestFields"]
    config = _config(body.get("inferenceConfig", {}))
    mode = thinking_of(body)
    if mode and ((body.get("toolConfig") or {}).get("toolChoice") or {}).keys() & {"any", "tool"}:
        body, mode = _unthinking(body), None
    if mode:
        config = _thinking_config(config)
    if mode == "enabled":
        body = _budgeted(body, config.get("maxTokens"))
    if "inferenceConfig" in body:
        body["inferenceConfig"] = config
    return body


def settled(body: dict[str, Any], messages: Sequence[Message]) -> tuple[dict[str, Any], list[Message]]:
    """Turn thinking off, with all reasoning, where the turn that goes on did not begin with it."""
    if thinking_of(body) != "enabled" or thoughtless(messages) is None:
        return body, list(messages)
    spoken: list[Message] = [
        {**message, "content": [block for block in message["content"] if "reasoningContent" not in block]}
        for message in messages
    ]
    return _unthinking(body), spoken


def _config(given: Mapping[str, Any]) -> dict[str, Any]:
    config = dict(given)
    if config.get("maxTokens", 1) < 1:
        del config["maxTokens"]
    for name in ("temperature", "topP"):
        if name in config:
            value = config[name]
            if math.isnan(value):
                del config[name]
            else:
                config[name] = value if 0 <= value <= 1 else min(max(value, 0), 1)
    if "stopSequences" in config:
        sequences = [sequence for sequence in config["stopSequences"] if not is_blank(sequence)]
        config["stopSequences"] = sequences[:MAX_STOP_SEQUENCES]
    return config


def _thinking_config(config: dict[str, Any]) -> dict[str, Any]:
    kept = {name: value for name, value in config.items() if name != "temperature" or value == 1}
    if kept.get("topP", 1) < MIN_THINKING_TOP_P:
        del kept["topP"]
    return kept


def _budgeted(body: dict[str, Any], maximum: int | None) -> dict[str, Any]:
    """Bring the budget into its bounds, half of the answer's tokens at most where it is too large; else no thinking."""
    thinking = body["additionalModelRequestFields"]["thinking"]
    budget = thinking.get("budget_tokens")
    if not isinstance(budget, int) or isinstance(budget, bool) or budget < MIN_THINKING_BUDGET:
        budget = MIN_THINKING_BUDGET
    if maximum is not None and maximum <= budget:
        budget = maximum // 2
    if budget < MIN_THINKING_BUDGET:
        return _unthinking(body)
    fields = {**body["additionalModelRequestFields"], "thinking": {**thinking, "budget_tokens": budget}}
    return {**body, "additionalModelRequestFields": fields}


def _unthinking(body: dict[str, Any]) -> dict[str, Any]:
    fields = {name: value for name, value in body["additionalModelRequestFields"].items() if name != "thinking"}
    kept = {name: value for name, value in body.items() if name != "additionalModelRequestFields"}
    return kept | ({"additionalModelRequestFields": fields} if fields else {})
