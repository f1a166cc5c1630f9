"""Whether a request has the shape of one: known fields, right types, JSON that can be written down."""

import json
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final

from rolecall.llm.contract.kinds import REQUEST, Kind, ListOf, Part
from rolecall.llm.contract.violation import Violation

MAX_DEPTH: Final = 64
"""Deepest nesting of a JSON value; what reads it recurses."""

RULES: Final = frozenset({"wrong_type", "unknown_field", "missing_field", "one_kind", "unicode", "json_value"})
"""What is broken where a request has not the shape of one."""

_ENCODER: Final = json.JSONEncoder(allow_nan=False, ensure_ascii=False)
_TYPES: Final[Mapping[str, tuple[type, ...]]] = {
    "text": (str,),
    "bytes": (bytes,),
    "object": (dict,),
    "number": (int, float),
    "integer": (int,),
    "boolean": (bool,),
}


def check(request: Any) -> Iterator[Violation]:
    """Yield what keeps a value from being a request at all. A field of the request itself may be None."""
    if isinstance(request, dict) and _FITS({name: value for name, value in request.items() if value is not None}):
        return
    if not isinstance(request, dict):
        yield _wrong_type("", "structure")
        return
    yield from _part("", REQUEST, {name: value for name, value in request.items() if value is not None})


def fits(kind: Kind, value: Any) -> bool:
    """Say whether a value has the shape of its kind."""
    return _predicate(kind)(value)


def _check(path: str, kind: Kind, value: Any) -> Iterator[Violation]:
    if isinstance(kind, Part):
        yield from _part(path, kind, value)
    elif isinstance(kind, ListOf):
        if type(value) is not list:
            yield _wrong_type(path, "list")
            return
        for i, item in enumerate(value):
            yield from _check(f"{path}.{i}", kind.item, item)
    elif kind == "json":
        if problem := unwritable(value):
            yield Violation(path, "json_value", f"The value at {path} is no JSON value: {problem}.")
    elif not isinstance(value, _TYPES[kind]) or (isinstance(value, bool) and kind != "boolean"):
        yield _wrong_type(path, kind)
    elif isinstance(value, str) and not is_unicode(value):
        yield Violation(path, "unicode", f"The value at {path} holds half a character.")


def _part(path: str, part: Part, value: Any) -> Iterator[Violation]:
    if not isinstance(value, dict):
        yield _wrong_type(path, "structure")
        return
    prefix = f"{path}." if path else ""
    for name, inner in value.items():
        kind = part.fields.get(name)
        if kind is None:
            yield Violation(f"{prefix}{name}", "unknown_field", f"extraneous key [{name}] is not permitted")
        else:
            yield from _check(f"{prefix}{name}", kind, inner)
    for name in part.required - value.keys():
        yield Violation(f"{prefix}{name}", "missing_field", f"The value at {prefix}{name} must not be null.")
    if part.union and len(value.keys() & part.fields.keys()) != 1:
        yield Violation(path, "one_kind", f"The object at {path} must set exactly one field.")


@cache
def _predicate(kind: Kind) -> Callable[[Any], bool]:
    """Compile a kind to a function: most requests are legal, and for those the paths are not needed."""
    if isinstance(kind, Part):
        return _part_predicate(kind)
    if isinstance(kind, ListOf):
        item = _predicate(kind.item)
        return lambda value: type(value) is list and all(map(item, value))
    if kind == "text":
        return lambda value: isinstance(value, str) and (value.isascii() or is_unicode(value))
    if kind == "json":
        return lambda value: unwritable(value) is None
    types, boolean = _TYPES[kind], kind == "boolean"
    return lambda value: isinstance(value, types) and (boolean or not isinstance(value, bool))


def _part_predicate(part: Part) -> Callable[[Any], bool]:
    fields = {name: _predicate(kind) for name, kind in part.fields.items()}
    required, union = part.required, part.union

    def fits_part(value: Any) -> bool:
        if not isinstance(value, dict) or (union and len(value) != 1) or not required <= value.keys():
            return False
        for name, inner in value.items():
            fits_field = fields.get(name)
            if fits_field is None or not fits_field(inner):
                return False
        return True

    return fits_part


def _wrong_type(path: str, kind: str) -> Violation:
    return Violation(path, "wrong_type", f"The value at {path or 'the top'} must be of type {kind}.")


def is_unicode(text: str) -> bool:
    """Say whether a text can be written as UTF-8: it holds no lone surrogate."""
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def unwritable(value: Any) -> str | None:
    """Say why a value cannot be written as JSON; None where it can."""
    try:
        written = _ENCODER.encode(value)
        written.encode()
    except (TypeError, ValueError, RecursionError) as exc:
        return type(exc).__name__
    if written.count("{") + written.count("[") > MAX_DEPTH and _deeper(value, MAX_DEPTH):
        return f"it is nested more than {MAX_DEPTH} deep"
    return None


def _deeper(value: Any, most: int) -> bool:
    if not isinstance(value, (dict, list, tuple)):
        return False
    inner = value.values() if isinstance(value, dict) else value
    return most == 0 or any(_deeper(item, most - 1) for item in inner)


_FITS: Final = _predicate(REQUEST)
