"""Any value as JSON that can be written down: not too deep, no cycle, no number without end."""

from collections.abc import Mapping
from typing import Any, Final

from rolecall.llm.contract.shape import MAX_DEPTH
from rolecall.llm.tool_results import json_safe
from rolecall.text import storable_text

_TOO_DEEP: Final = "(nested too deep to show)"
_MAX_BITS: Final = 8192


def plain(value: Any) -> Any:
    """Return the value in JSON's own types."""
    return _plain(value, MAX_DEPTH)


def _plain(value: Any, depth: int) -> Any:
    if isinstance(value, (Mapping, list, tuple, set, frozenset)):
        if depth == 0:
            return _TOO_DEEP
        if isinstance(value, Mapping):
            return {str(_plain(key, 0)): _plain(inner, depth - 1) for key, inner in value.items()}
        return [_plain(inner, depth - 1) for inner in value]
    if isinstance(value, str):
        return value if value.isascii() else storable_text(value)
    if isinstance(value, int) and value.bit_length() > _MAX_BITS:
        return "(a number too long to show)"
    if isinstance(value, (bool, int)) or value is None:
        return value
    safe = json_safe(value)
    return _plain(safe, depth) if type(safe) is not type(value) else safe
