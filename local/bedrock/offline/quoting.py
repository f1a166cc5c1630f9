"""Answers from passages of context: the sentences that share the question's words, quoted with their number."""

import math
import re
from dataclasses import dataclass
from typing import Final

from local.bedrock.offline.words import content

MIN_SHARE: Final = 0.4
"""Below this part of the question's weight a sentence does not answer it."""

ABOUT_TEXTS: Final = content(
    "document documents file files page pages passage passages text texts paper report book attachment upload uploaded "
    "say says said saying mention mentions mentioned state states stated describe describes contain contains write "
    "written know known according about tell explain summary summarise summarize content contents cover covers"
)
"""Words that ask about a text and are not what is asked about."""
UNKNOWN_SHARE: Final = 0.35
"""How much a word counts that no sentence has, beside the rarest one that some have."""

_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+(?=[^\Wa-z]|\d|[\"“(])|\n+")
_MAX_QUOTES: Final = 2
_MIN_WORDS: Final = 4
_MAX_LENGTH: Final = 500


@dataclass(frozen=True)
class Quote:
    """A sentence, the passage it stands in, and how much of the question it shares."""

    number: int
    sentence: str
    share: float


def best(question: str, passages: list[tuple[int, str]]) -> list[Quote]:
    """Return the sentences that answer a question best, the best first; none when nothing is near."""
    sentences = [(n, part.strip()) for n, text in passages for part in _SENTENCE.split(_joined(text)) if part.strip()]
    sentences = list({sentence: (n, sentence) for n, sentence in reversed(sentences)}.values())[::-1]
    words = content(question)
    asked = words - ABOUT_TEXTS
    if not asked:
        return _openings(sentences) if words else []
    bags = [content(sentence) for _, sentence in sentences]
    weights = {word: _weight(word, bags) for word in asked}
    total = sum(weights.values())
    scored = [
        Quote(n, sentence[:_MAX_LENGTH], sum(weights[word] for word in asked & bag) / total)
        for (n, sentence), bag in zip(sentences, bags, strict=True)
    ]
    near = sorted((q for q in scored if q.share >= MIN_SHARE), key=lambda quote: (-quote.share, -len(quote.sentence)))
    near = [q for at, q in enumerate(near) if not any(other.sentence.startswith(q.sentence) for other in near[:at])]
    return [quote for quote in near[:_MAX_QUOTES] if quote.share >= near[0].share * 0.75]


def _joined(text: str) -> str:
    """Join lines that break in the middle of a sentence, as those of a page do."""
    return re.sub(r"(?<=[^\s.!?:;|])\n(?=[a-z(\"“])", " ", text)


def _openings(sentences: list[tuple[int, str]]) -> list[Quote]:
    """What the best passage says first, for a question that names nothing but the text itself."""
    whole = [sentence for sentence in sentences if len(sentence[1].split()) >= _MIN_WORDS] or sentences
    first = [sentence for sentence in whole if sentence[0] == whole[0][0]] if whole else []
    return [Quote(n, sentence[:_MAX_LENGTH], 1.0) for n, sentence in first[:_MAX_QUOTES]]


def _weight(word: str, bags: list[set[str]]) -> float:
    met = sum(word in bag for bag in bags)
    rarest = math.log((len(bags) + 1) / 1.5)
    return math.log((len(bags) + 1) / (met + 0.5)) if met else rarest * UNKNOWN_SHARE


def quoted(quotes: list[Quote]) -> str:
    """Write quotes with the numbers of their passages."""
    return "\n".join(f"“{quote.sentence}” [{quote.number}]" for quote in quotes)
