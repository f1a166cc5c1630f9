"""Which tool a clause means: the overlap of its words with the catalogue's, rare words counting more."""

import math
from dataclasses import dataclass
from typing import Any

from local.bedrock.offline.schema import parameters
from local.bedrock.offline.words import VERBS, WRITING, human, name_terms, ordered, raw_words, stem, terms, verb_class

MIN_SCORE = 1.0

_VERB_STEMS = frozenset(stem(verb) for verb in VERBS)

_NAME, _DESCRIPTION, _PROPERTY = 2.0, 1.0, 0.7
_VERB = 0.5
"""A verb's own word, beside its class; a pair of words, beside the two."""
_LEAST_RARE = 0.4
_UNNAMED = 0.8
"""What it costs when a clause does not hold a word of the tool's name."""
_WANTED_CHANGE = 1.3
_MANY_FIELDS = 3


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
            score = sum(hits.values()) - _UNNAMED * len(_subjects(tool) - asked)
            if writes(tool):
                score *= _WANTED_CHANGE if orders_change(clause) else 1.0
            strong = sorted((term for term in hits), key=lambda term: (-hits[term], term))
            said = tuple(term.removeprefix("~") for term in strong[:4])
            subject = any(not term.startswith("~") for term in hits)
            if score >= MIN_SCORE and subject:
                matches.append(Match(tool, score, said))
        return sorted(matches, key=lambda match: -match.score)

    def _rarity(self, term: str) -> float:
        holders = sum(term in weights for weights in self._weights)
        most = math.log((self._count + 1) / 1.5)
        rarity = math.log((self._count + 1) / (holders + 0.5)) / most if most > 0 else 1.0
        return max(rarity, _LEAST_RARE)


def _weights(tool: dict[str, Any]) -> dict[str, float]:
    described = " ".join(f"{human(p.name)} {p.description}" for p in parameters(schema_of(tool)))
    weights = dict.fromkeys(terms(described), _PROPERTY)
    values = " ".join(human(str(v)) for p in parameters(schema_of(tool)) for v in p.enum)
    weights |= dict.fromkeys(terms(values), _DESCRIPTION)
    weights |= dict.fromkeys(terms(tool.get("description") or ""), _DESCRIPTION)
    return weights | {term: _in_name(term) for term in name_terms(tool["name"])}


def _in_name(term: str) -> float:
    return _VERB if " " in term or term in _VERB_STEMS else _NAME


def _subjects(tool: dict[str, Any]) -> set[str]:
    """Return what a tool's name is about: its words without verbs; a clause should hold them all."""
    words = [word for word in raw_words(tool["name"]) if verb_class(word) is None]
    return {term for term in name_terms(" ".join(words)) if " " not in term}


def schema_of(tool: dict[str, Any]) -> dict[str, Any]:
    """Return a tool's parameters as JSON Schema."""
    schema: dict[str, Any] = tool["inputSchema"]["json"]
    return schema


def writes(tool: dict[str, Any]) -> bool:
    """Say whether a tool changes something, judged by the verb in its name."""
    return any(verb_class(word) in WRITING for word in raw_words(tool["name"])[:1])


def orders_change(clause: str) -> bool:
    """Say whether a clause holds an order to change something."""
    return not ordered(clause).isdisjoint(WRITING)


def vague(tool: dict[str, Any], given: dict[str, Any]) -> bool:
    """Say whether a tool that changes one of many fields is given none of them."""
    fields = [p for p in parameters(schema_of(tool)) if not p.name.endswith(("_id", "_ids"))]
    many = len(fields) >= _MANY_FIELDS and not any(p.required for p in fields)
    return many and not any(field.name in given for field in fields)
