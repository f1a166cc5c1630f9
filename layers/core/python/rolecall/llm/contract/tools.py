"""The tool list, and the names and ids of calls."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any, Final

from rolecall.llm.contract.reading import Reading
from rolecall.llm.contract.violation import Violation

NAME: Final = re.compile(r"[A-Za-z0-9_-]{1,64}")
CALL_ID: Final = re.compile(r"[A-Za-z0-9_.:-]{1,64}")


def check(reading: Reading) -> Iterator[Violation]:
    """Yield what is wrong with the tool list, and with calls and results by name and id."""
    config = reading.request.get("toolConfig")
    if config is not None:
        yield from _config(config)
    elif any(block.keys() & {"toolUse", "toolResult"} for _, _, block in reading.blocks):
        message = "The toolConfig field must be defined when using toolUse and toolResult content blocks."
        yield Violation("toolConfig", "tool_config_required", message)
    for path, message_, block in reading.blocks:
        if use := block.get("toolUse"):
            yield from _use(f"{path}.toolUse", message_.get("role"), use)
        if result := block.get("toolResult"):
            yield from _matches(f"{path}.toolResult.toolUseId", "call_id", CALL_ID, result.get("toolUseId"))


def _config(config: Mapping[str, Any]) -> Iterator[Violation]:
    specs = [tool["toolSpec"] for tool in config.get("tools") or [] if "toolSpec" in tool]
    if not specs:
        yield Violation("toolConfig.tools", "no_tools", "The tools field must hold at least one tool.")
    for i, spec in enumerate(specs):
        path = f"toolConfig.tools.{i}.toolSpec"
        yield from _matches(f"{path}.name", "tool_name", NAME, spec.get("name"))
        if "description" in spec and not str(spec["description"]).strip():
            yield Violation(f"{path}.description", "tool_description", f"{path}.description is blank.")
        schema = spec.get("inputSchema", {}).get("json")
        if not isinstance(schema, dict) or schema.get("type") != "object":
            message = f'The value at {path}.inputSchema.json.type must be "object".'
            yield Violation(f"{path}.inputSchema.json", "tool_schema", message)
    names = [spec.get("name") for spec in specs]
    for name, count in Counter(names).items():
        if count > 1:
            message = f"The tool list contains duplicate tool names: {name}"
            yield Violation("toolConfig.tools", "duplicate_tool", message)
    chosen = (config.get("toolChoice") or {}).get("tool", {}).get("name")
    if chosen is not None and chosen not in names:
        message = f"The tool {chosen!r} of toolChoice is not in the tool list."
        yield Violation("toolConfig.toolChoice", "tool_choice", message)


def _use(path: str, role: object, use: Mapping[str, Any]) -> Iterator[Violation]:
    if role != "assistant":
        message = f"The toolUse block at {path} is only allowed in an assistant message."
        yield Violation(path, "call_role", message)
    yield from _matches(f"{path}.name", "tool_name", NAME, use.get("name"))
    yield from _matches(f"{path}.toolUseId", "call_id", CALL_ID, use.get("toolUseId"))
    if not isinstance(use.get("input"), dict):
        message = (
            f"The format of the value at {path}.input is invalid. Provide a json object for the field and try again."
        )
        yield Violation(f"{path}.input", "call_input", message)


def _matches(path: str, rule: str, pattern: re.Pattern[str], value: object) -> Iterator[Violation]:
    if not isinstance(value, str) or not pattern.fullmatch(value):
        message = (
            f"1 validation error detected: Value at '{path}' failed to satisfy constraint: Member must satisfy regular "
            f"expression pattern: {pattern.pattern}"
        )
        yield Violation(path, rule, message)
