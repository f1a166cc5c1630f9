"""Answers from passages of context: the sentences that share the question's words, quoted with their number."""

import math
import re
from dataclasses import dataclass
from typing import Final

from local.bedrock.offline.words import content

MIN_SHARE: Final = 0.4
"""Below this part of the question's weight a sentence does not answer it."""

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[^\Wa-z]|\d|[\"“(])|\n+")
_MAX_QUOTES: Final = 2
_MAX_LENGTH: Final = 500


@dataclass(frozen=True)
class Quote:
    """A sentence, the passage it stands in, and how much of the question it shares."""

    number: int
    sentence: str
    share: float


def best(question: str, passages: list[tuple[int, str]]) -> list[Quote]:
    """Return the sentences that answer a question best, the best first; none when nothing is near."""
    sentences = [(n, part.strip()) for n, text in passages for part in _SENTENCE.split(text) if part.strip()]
    asked = content(question)
    bags = [content(sentence) for _, sentence in sentences]
    weights = {word: _weight(word, bags) for word in asked}
    total = sum(weights.values())
    if not total:
        return []
    scored = [
        Quote(n, sentence[:_MAX_LENGTH], sum(weights[word] for word in asked & bag) / total)
        for (n, sentence), bag in zip(sentences, bags, strict=True)
    ]
    near = sorted((q for q in scored if q.share >= MIN_SHARE), key=lambda quote: -quote.share)
    return [quote for quote in near[:_MAX_QUOTES] if quote.share >= near[0].share * 0.75]


def _weight(word: str, bags: list[set[str]]) -> float:
    return math.log((len(bags) + 1) / (sum(word in bag for bag in bags) + 0.5))


def quoted(quotes: list[Quote]) -> str:
    """Write quotes with the numbers of their passages."""
    return "\n".join(f"“{quote.sentence}” [{quote.number}]" for quote in quotes)
