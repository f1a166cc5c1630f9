"""docs/protocol.md: what a client developer reads."""

import json
from typing import Any, Final

from local.docs import prose
from local.docs.schema import LIMITS, definitions, frames, limit_values
from local.docs.typescript import type_of
from rolecall.errors import RECOVERY_HINTS, ErrorCode
from rolecall.protocol.events import EVENTS, TERMINAL
from rolecall.protocol.replies import REPLIES
from rolecall.protocol.requests import ACTIONS, Request

ANY_ACTION: Final = (
    ErrorCode.INVALID_REQUEST,
    ErrorCode.UNKNOWN_ACTION,
    ErrorCode.UNAUTHORIZED,
    ErrorCode.UNKNOWN,
)
IN_EVERY_REQUEST: Final = {"action", "requestId"}
IN_EVERY_EVENT: Final = {"type", "turnId", "seq"}


def text() -> str:
    """The page."""
    schemas = definitions()
    lines = [prose.INTRODUCTION, prose.CONNECTING, prose.REQUESTS]
    lines += ["## Actions\n", "Errors that every action may answer: " + _codes(ANY_ACTION) + ".\n"]
    lines += [_action(name, model, schemas) for name, model in ACTIONS.items()]
    lines += ["## Events of a turn\n", prose.EVENTS]
    lines += [_frame(model, schemas, IN_EVERY_EVENT) for model in EVENTS]
    lines += ["## Other frames\n", *(_frame(model, schemas, {"type"}) for model in frames())]
    shapes = _shapes(schemas)
    lines += ["## Shapes in requests and replies\n", *(_shape(name, schemas[name]) for name in shapes)]
    lines += [prose.PARTS, _limits(), _errors()]
    return "\n".join(lines).rstrip() + "\n"


def _shapes(schemas: dict[str, Any]) -> list[str]:
    shown = {model.__name__ for model in (*ACTIONS.values(), *frames(), *EVENTS)}
    return [name for name, schema in schemas.items() if name not in shown and "properties" in schema]


def _action(name: str, model: type[Request], schemas: dict[str, Any]) -> str:
    schema = schemas[model.__name__]
    lines = [f"### `{name}`\n", _paragraphs(schema["description"])]
    lines.append(_fields(schema, IN_EVERY_REQUEST) or "No fields of its own.\n")
    reply = REPLIES.get(name)
    lines.append(f"Reply: {_link(reply.__name__)}.\n" if reply else "Reply: the frame [`Pong`](#pong).\n")
    if model.errors:
        lines.append(f"Errors: {_codes(model.errors)}.\n")
    return "\n".join(lines)


def _frame(model: type[Any], schemas: dict[str, Any], common: set[str]) -> str:
    schema = schemas[model.__name__]
    end = "Ends the turn.\n" if model.__name__ in TERMINAL else ""
    return _section(model.__name__, schema, common, end)


def _shape(name: str, schema: dict[str, Any]) -> str:
    return _section(name, schema, set(), "")


def _section(name: str, schema: dict[str, Any], common: set[str], end: str) -> str:
    lines = [f"### {name}\n", _paragraphs(schema.get("description", "")), end, _fields(schema, common)]
    return "\n".join(line for line in lines if line)


def _fields(schema: dict[str, Any], common: set[str]) -> str:
    shown = {name: field for name, field in schema["properties"].items() if name not in common}
    if not shown:
        return ""
    required = set(schema.get("required", ()))
    rows = [_row(name, field, name in required) for name, field in shown.items()]
    return "\n".join(["| field | type | |", "|---|---|---|", *rows]) + "\n"


def _row(name: str, field: dict[str, Any], required: bool) -> str:
    kind = type_of(field).replace("|", "\\|")
    notes = [*([] if required else ["optional"]), *_rules(field)]
    if not required and field.get("default") not in (None, [], ""):
        notes.append(f"default `{json.dumps(field['default']).strip(chr(34))}`")
    return f"| `{name}` | `{kind}` | {'; '.join(notes)} |"


def _rules(field: dict[str, Any]) -> list[str]:
    options = [field, *field.get("anyOf", ())]
    words = {"maxLength": "at most {} characters", "minLength": "at least {}", "maxItems": "at most {} items"}
    words |= {"minimum": "≥ {}", "maximum": "≤ {}"}
    rules = [text.format(f"{option[key]:,}") for option in options for key, text in words.items() if key in option]
    return rules + [option["format"].upper() for option in options if option.get("format") == "uuid"]


def _paragraphs(words: str) -> str:
    return "\n".join(line.strip() for line in words.strip().splitlines()) + "\n"


def _link(name: str) -> str:
    return f"[`{name}`](#{name.lower()})"


def _codes(codes: tuple[ErrorCode, ...]) -> str:
    return ", ".join(f"`{code}`" for code in codes)


def _limits() -> str:
    values = limit_values()
    rows = [f"| `{name}` | {_number(values[name])} | {meaning} |" for name, meaning in LIMITS.items()]
    return "\n".join(["## Limits\n", "| name | value | |", "|---|---|---|", *rows]) + "\n"


def _number(value: int | str) -> str:
    return f"{value:,}" if isinstance(value, int) else f"`{value}`"


def _errors() -> str:
    rows = [f"| `{code}` | {RECOVERY_HINTS[code]} |" for code in ErrorCode]
    head = ["## Error codes\n", "The hint is what a person is told unless an error brings one of its own.\n"]
    return "\n".join([*head, "| code | recovery hint |", "|---|---|", *rows]) + "\n"
