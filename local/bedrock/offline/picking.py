"""Which tool a clause means: the overlap of its words with the catalogue's, rare words counting more."""

import math
from dataclasses import dataclass
from typing import Any

from local.bedrock.offline.words import WRITING, human, raw_words, terms, verb_class

MIN_SCORE = 1.0

_BEFORE_ORDER = frozenset({"please", "to", "and", "you", "then", "also", "just", "now", "kindly", "can", "should"})

_NAME, _DESCRIPTION, _PROPERTY = 2.0, 1.0, 0.7


@dataclass(frozen=True)
class Match:
    """A tool and how well a clause fits it."""

    tool: dict[str, Any]
    score: float
    words: tuple[str, ...]
    """The words that matched, for the account in the reasoning."""


class Catalogue:
    """The tools offered in one request, weighed against each other."""

    def __init__(self, tools: list[dict[str, Any]]) -> None:
        self.tools = tools
        self._weights = [_weights(tool) for tool in tools]
        self._count = len(tools)

    def rank(self, clause: str) -> list[Match]:
        """Return the tools that fit a clause well enough, the best first."""
        asked = terms(clause)
        matches = []
        for tool, weights in zip(self.tools, self._weights, strict=True):
            hits = {term: weights[term] * self._rarity(term) for term in asked & weights.keys()}
            score = sum(hits.values())
            strong = sorted((term for term in hits), key=lambda term: (-hits[term], term))
            said = tuple(term.removeprefix("~") for term in strong[:4])
            subject = any(not term.startswith("~") for term in hits)
            if score >= MIN_SCORE and subject:
                matches.append(Match(tool, score, said))
        return sorted(matches, key=lambda match: -match.score)

    def _rarity(self, term: str) -> float:
        holders = sum(term in weights for weights in self._weights)
        most = math.log((self._count + 1) / 1.5)
        return math.log((self._count + 1) / (holders + 0.5)) / most if most > 0 else 1.0


def _weights(tool: dict[str, Any]) -> dict[str, float]:
    properties = schema_of(tool).get("properties") or {}
    described = " ".join(f"{human(name)} {_about(schema)}" for name, schema in properties.items())
    weights = dict.fromkeys(terms(described), _PROPERTY)
    weights |= dict.fromkeys(terms(tool.get("description") or ""), _DESCRIPTION)
    return weights | dict.fromkeys(terms(human(tool["name"])), _NAME)


def _about(schema: Any) -> str:
    if not isinstance(schema, dict):
        return ""
    values = " ".join(human(str(value)) for value in schema.get("enum") or [])
    return f"{schema.get('description') or ''} {values}"


def schema_of(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool's parameters as JSON Schema."""
    schema: dict[str, Any] = tool["inputSchema"]["json"]
    return schema


def writes(tool: dict[str, Any]) -> bool:
    """Say whether a tool changes something, judged by the verb in its name."""
    return any(verb_class(word) in WRITING for word in raw_words(tool["name"])[:1])


def orders_change(clause: str) -> bool:
    """Say whether a clause holds an order to change something: a verb where an order has its verb."""
    words = raw_words(clause)
    return any(
        verb_class(word) in WRITING and (i == 0 or words[i - 1] in _BEFORE_ORDER) for i, word in enumerate(words)
    )
