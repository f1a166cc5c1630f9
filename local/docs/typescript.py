"""The wire as TypeScript types, from its JSON Schema."""

import json
from collections.abc import Iterable
from typing import Any

from local.docs.schema import definitions, frames, limit_values
from rolecall.errors import RECOVERY_HINTS
from rolecall.protocol.events import EVENTS, TERMINAL
from rolecall.protocol.replies import REPLIES
from rolecall.protocol.requests import ACTIONS

HEADER = "// Generated from rolecall.protocol by `make docs`; do not edit.\n"
WORDS = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def text() -> str:
    """The module."""
    parts = [HEADER]
    parts += [_definition(name, schema) for name, schema in definitions().items()]
    parts += [
        _union("Request", ACTIONS.values()),
        _union("TurnEvent", EVENTS),
        _union("Frame", (*frames(), *EVENTS)),
        _map("Requests", {action: model.__name__ for action, model in ACTIONS.items()}),
        _map("Replies", {action: model.__name__ for action, model in REPLIES.items()}),
        f"export const TERMINAL: ReadonlySet<string> = new Set({json.dumps(sorted(TERMINAL))});\n",
        _constants("LIMITS", limit_values()),
        _constants("RECOVERY_HINTS", {code.value: hint for code, hint in RECOVERY_HINTS.items()}),
    ]
    return "\n".join(parts)


def _definition(name: str, schema: dict[str, Any]) -> str:
    comment = _comment(schema.get("description", ""), "")
    if "enum" in schema:
        return f"{comment}export type {name} =\n  | " + "\n  | ".join(map(json.dumps, schema["enum"])) + ";\n"
    required = set(schema.get("required", ()))
    fields = "".join(_field(key, field, key in required) for key, field in schema["properties"].items())
    return f"{comment}export interface {name} {{\n{fields}}}\n"


def _field(name: str, schema: dict[str, Any], required: bool) -> str:
    comment = _comment(schema.get("description", ""), "  ")
    return f"{comment}  {name}{'' if required else '?'}: {type_of(schema)};\n"


def type_of(schema: dict[str, Any]) -> str:
    """Render the type of a schema."""
    if "$ref" in schema:
        return str(schema["$ref"]).rpartition("/")[2]
    if "const" in schema:
        return json.dumps(schema["const"])
    if "enum" in schema:
        return " | ".join(map(json.dumps, schema["enum"]))
    if "anyOf" in schema:
        return " | ".join(dict.fromkeys(type_of(option) for option in schema["anyOf"]))
    if schema.get("type") == "array":
        inner = type_of(schema["items"])
        return f"({inner})[]" if " | " in inner else f"{inner}[]"
    if schema.get("type") == "object":
        values = schema.get("additionalProperties", True)
        return f"Record<string, {type_of(values) if isinstance(values, dict) else 'unknown'}>"
    return WORDS.get(schema.get("type", ""), "unknown")


def _comment(words: str, indent: str) -> str:
    lines = [line.strip() for line in words.strip().splitlines()]
    if not lines:
        return ""
    if len(lines) == 1:
        return f"{indent}/** {lines[0]} */\n"
    body = "".join(f"{indent} * {line}".rstrip() + "\n" for line in lines)
    return f"{indent}/**\n{body}{indent} */\n"


def _union(name: str, models: Iterable[type]) -> str:
    return f"export type {name} =\n  | " + "\n  | ".join(model.__name__ for model in models) + ";\n"


def _map(name: str, entries: dict[str, str]) -> str:
    fields = "".join(f"  {key}: {value};\n" for key, value in entries.items())
    return f"export interface {name} {{\n{fields}}}\n"


def _constants(name: str, entries: dict[str, Any]) -> str:
    fields = "".join(f"  {key}: {json.dumps(value, ensure_ascii=False)},\n" for key, value in entries.items())
    return f"export const {name} = {{\n{fields}}} as const;\n"
