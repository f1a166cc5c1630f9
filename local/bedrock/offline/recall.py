"""Ids that earlier tool results gave, for a clause that names the record instead of its id."""

import re
from collections.abc import Iterator
from typing import Any

from local.bedrock.offline.arguments import Filled
from local.bedrock.offline.schema import Parameter
from local.bedrock.offline.situation import Done
from local.bedrock.offline.values import UUID
from local.bedrock.offline.words import human, raw_words, stem

_SHORTEST_NAME = 3


def recall(filled: Filled, clause: str, known: list[Done]) -> Filled:
    """Fill missing ids with those of records whose name the clause holds, the newest result first."""
    found: dict[str, Any] = {}
    for parameter in filled.missing:
        if parameter.name.endswith("_id"):
            value = _id_of(parameter, clause, known)
            found |= {parameter.name: value} if value else {}
    missing = tuple(parameter for parameter in filled.missing if parameter.name not in found)
    return Filled(filled.input | found, missing)


def _id_of(parameter: Parameter, clause: str, known: list[Done]) -> str | None:
    said = clause.lower()
    for done in reversed(known):
        for record, about in _records(done.value, stems(done.name)):
            value = record.get(parameter.name) or (record.get("id") if stems(parameter.name) & about else None)
            named = any(name.lower() in said for name in _names(record))
            if named and isinstance(value, str) and UUID.fullmatch(value):
                return value
    return None


def stems(name: str) -> set[str]:
    """Return the stems of an identifier's words, without "id"."""
    return {stem(word) for word in raw_words(human(name))} - {"id"}


def _records(value: Any, about: set[str], depth: int = 0) -> Iterator[tuple[dict[str, Any], set[str]]]:
    if isinstance(value, dict):
        yield value, about
        for key, inner in value.items():
            yield from _records(inner, about | stems(key), depth + 1) if depth < 4 else ()
    elif isinstance(value, list):
        for item in value:
            yield from _records(item, about, depth + 1)


def _names(record: dict[str, Any]) -> list[str]:
    texts = [text for text in record.values() if isinstance(text, str) and not UUID.fullmatch(text)]
    return [text for text in texts if len(text) >= _SHORTEST_NAME and re.search(r"[^\W\d_]", text)]
