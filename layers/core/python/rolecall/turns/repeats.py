"""Calls that a model makes again with the same arguments: what it has been told already, it is not told for ever."""

import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Final

from rolecall.text import storable
from rolecall.tools.models import Call, CallStatus

TRIES: Final = 2
"""How often the same call may fail in a turn."""
BESIDE: Final = "The very same call stands before this one; its result counts for both."
KNOWN: Final = "You made this very call before in this turn, and its result stands above. Use it, or answer the user."
HOPELESS: Final = "This very call has failed before. Call with other arguments, or tell the user what went wrong."

_WORDS: Final = {BESIDE, KNOWN, HOPELESS}


def repeated(
    name: str, given: Mapping[str, Any], *, hop: int, made: Sequence[Call], writing: Collection[str]
) -> str | None:
    """Say why a call is not made again; None where it may run.

    Args:
        name: the tool's function name.
        given: the arguments.
        hop: the hop that makes the call.
        made: the turn's calls up to it, in order.
        writing: function names of tools that change something; after one of them a reading may differ.
    """
    key = _key(name, given)
    same = [call for call in made if _key(call.function_name, call.input) == key and call.error_message not in _WORDS]
    if not same:
        return None
    latest = same[-1]
    if latest.hop == hop and latest.status != CallStatus.FAILED:
        return BESIDE
    if not latest.succeeded:
        failed = sum(call.status == CallStatus.FAILED for call in same)
        return HOPELESS if failed >= TRIES else None
    changed = any(
        call.succeeded and call.function_name in writing and call.hop >= latest.hop and call not in same
        for call in made
    )
    return None if changed else KNOWN


def _key(name: str, given: Mapping[str, Any]) -> tuple[str, str]:
    return name, json.dumps(storable(given), sort_keys=True)
