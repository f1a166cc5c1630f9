"""A tool's parameters, read from JSON Schema as pydantic and people write it."""

import re
from dataclasses import dataclass
from typing import Any

from local.bedrock.offline.words import human

_SUFFIX = re.compile(r"_?(url|ids?|uuids?)$", re.IGNORECASE)


@dataclass(frozen=True)
class Parameter:
    """One parameter: what kind of value it takes, and by which words a text may mention it."""

    name: str
    kind: str
    """string, integer, number, boolean, array or object."""
    item: str
    """The kind of an array's items."""
    enum: tuple[Any, ...]
    format: str
    description: str
    required: bool
    schema: dict[str, Any]

    @property
    def aliases(self) -> list[str]:
        """Words that name it in a text, the longest first."""
        name = human(self.name)
        stem = human(_SUFFIX.sub("", self.name))
        names = {name, stem} | {_other_number(name), _other_number(stem)}
        described = re.sub(r"\(.*?\)", "", self.description).strip().rstrip(".").lower()
        if 0 < len(described.split()) <= 3:
            names.add(" ".join(described.split()))
        return sorted((n for n in names if len(n) > 1), key=lambda n: (-len(n), n))

    def is_called(self, *words: str) -> bool:
        """Say whether one of these words is in its name."""
        return not set(human(self.name).split()).isdisjoint(words)


def _other_number(name: str) -> str:
    return name[:-1] if name.endswith("s") and not name.endswith("ss") else f"{name}s"


def parameters(schema: dict[str, Any]) -> list[Parameter]:
    """Return a tool's parameters, required ones first."""
    required = schema.get("required") or []
    found = [
        _parameter(name, _resolved(sub, schema), name in required)
        for name, sub in (schema.get("properties") or {}).items()
        if isinstance(sub, dict)
    ]
    return sorted(found, key=lambda parameter: not parameter.required)


def _parameter(name: str, schema: dict[str, Any], required: bool) -> Parameter:
    items = schema.get("items") if isinstance(schema.get("items"), dict) else {}
    return Parameter(
        name=name,
        kind=_kind(schema),
        item="uuid" if (items or {}).get("format") == "uuid" or name.endswith("_ids") else _kind(items or {}),
        enum=tuple(schema.get("enum") or ([schema["const"]] if "const" in schema else [])),
        format=str(schema.get("format") or ""),
        description=str(schema.get("description") or ""),
        required=required,
        schema=schema,
    )


def _kind(schema: dict[str, Any]) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), None)
    return kind if isinstance(kind, str) else "object" if "properties" in schema else "string"


def _resolved(schema: dict[str, Any], root: dict[str, Any], depth: int = 0) -> dict[str, Any]:
    """Follow $ref, and take the first choice that is not null."""
    if depth > 8:
        return schema
    if (ref := str(schema.get("$ref", ""))).startswith("#/"):
        target: Any = root
        for part in ref[2:].split("/"):
            target = target.get(part, {}) if isinstance(target, dict) else {}
        return _resolved({**target, **{k: v for k, v in schema.items() if k != "$ref"}}, root, depth + 1)
    for key in ("anyOf", "oneOf", "allOf"):
        choices = [one for one in schema.get(key) or [] if isinstance(one, dict) and one.get("type") != "null"]
        if choices:
            rest = {k: v for k, v in schema.items() if k != key}
            return _resolved({**choices[0], **rest}, root, depth + 1)
    return schema
