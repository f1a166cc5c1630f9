"""The wire as JSON Schema: every request, frame, event and reply, from the Python models."""

import inspect
import json
from typing import Any, Final

from pydantic.json_schema import models_json_schema

from rolecall.errors import RECOVERY_HINTS
from rolecall.protocol import events, limits
from rolecall.protocol.events import EVENTS, Frame, TurnEvent
from rolecall.protocol.replies import REPLIES
from rolecall.protocol.requests import ACTIONS

LIMITS: Final[dict[str, str]] = {
    "SUBPROTOCOL": "name of the subprotocol",
    "FRAME_BYTES": "most bytes of one frame from a client",
    "MESSAGE_BYTES": "most bytes of one message from a client, over all its frames",
    "POST_BYTES": "most bytes of one frame to a client",
    "MESSAGE_CHARACTERS": "most characters (code points) of a chat message",
    "MESSAGE_TEXT_BYTES": "most bytes (UTF-8) of a chat message",
    "IDLE_SECONDS": "silence, either way, after which a connection is closed",
    "CONNECTION_SECONDS": "longest life of a connection",
    "WATCHERS_PER_TURN": "most connections that see one turn",
    "TOOL_ROUNDS": "most rounds of tools in a turn",
    "CALLS_PER_ROUND": "most tool calls in a round",
    "TOOL_OUTPUT_BYTES": "most bytes of a tool's output that are kept",
}
"""The limits that a client must know, and what each is."""


def frames() -> list[type[Frame]]:
    """Every frame that is no turn event, in the order of the module."""
    found = [value for value in vars(events).values() if inspect.isclass(value) and issubclass(value, Frame)]
    return [frame for frame in found if "type" in frame.model_fields and not issubclass(frame, TurnEvent)]


def limit_values() -> dict[str, int | str]:
    """The value of each limit."""
    return {name: getattr(limits, name) for name in LIMITS}


def definitions() -> dict[str, Any]:
    """JSON Schema of every model, by name."""
    asked: list[Any] = [(model, "validation") for model in ACTIONS.values()]
    asked += [(model, "validation") for model in REPLIES.values()]
    asked += [(model, "serialization") for model in (*frames(), *EVENTS)]
    _, schema = models_json_schema(asked)
    posted = {model.__name__ for model in (*frames(), *EVENTS)}
    found: dict[str, Any] = schema["$defs"]
    for name in posted:
        _leave_out_nulls(found[name])
    return dict(sorted(found.items()))


def _leave_out_nulls(definition: dict[str, Any]) -> None:
    """A frame has no nulls: what would be null is left out, and everything else is there."""
    fields: dict[str, dict[str, Any]] = definition["properties"]
    may_be_null = {name for name, field in fields.items() if field.get("default", ...) is None or _is_any(field)}
    for name in may_be_null:
        field = fields[name]
        kept = [option for option in field.pop("anyOf", ()) if option != {"type": "null"}]
        field.pop("default", None)
        fields[name] |= kept[0] if len(kept) == 1 else {"anyOf": kept} if kept else {}
    definition["required"] = [name for name in fields if name not in may_be_null]


def _is_any(field: dict[str, Any]) -> bool:
    return not field.keys() & {"type", "anyOf", "$ref", "const", "enum"}


def document() -> dict[str, Any]:
    """The whole schema: `Request` is what a client sends, `Frame` what it gets."""
    names = definitions()

    def union(models: Any) -> dict[str, Any]:
        return {"oneOf": [{"$ref": f"#/$defs/{model.__name__}"} for model in models]}

    names["Request"] = union(ACTIONS.values())
    names["TurnEvent"] = union(EVENTS)
    names["Frame"] = union((*frames(), *EVENTS))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "Rolecall's WebSocket protocol",
        "description": "Generated from rolecall.protocol by `make docs`; do not edit.",
        "oneOf": [{"$ref": "#/$defs/Request"}, {"$ref": "#/$defs/Frame"}],
        "x-replies": {action: {"$ref": f"#/$defs/{model.__name__}"} for action, model in REPLIES.items()},
        "x-limits": limit_values(),
        "x-recovery-hints": dict(RECOVERY_HINTS),
        "$defs": names,
    }


def text() -> str:
    """The schema file."""
    return json.dumps(document(), indent=2, ensure_ascii=False) + "\n"
