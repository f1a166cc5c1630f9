"""A message cut into the things it asks for, one clause each."""

import re
from typing import Final

from local.bedrock.offline.words import QUESTION, ordered, raw_words, verb_class

_ABBREVIATION: Final = re.compile(
    r"(?:\b(?:sr|jr|dr|mr|mrs|ms|st|prof|inc|ltd|co|no|vs|dept|approx|e\.g|i\.e|etc)|\b[A-Z])\.$", re.IGNORECASE
)
_QUOTED: Final = re.compile(r"\"[^\"\n]*\"|“[^”\n]*”|«[^»\n]*»|`[^`\n]*`")
_GAP: Final = re.compile(r"\s{9,}")
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+|\n+|;\s+")
_JOINT: Final = re.compile(r"(?:\s*,)?\s+(?:and\s+then|and\s+also|and|then|but|also|plus)\s+|\s*,\s+", re.IGNORECASE)
_WISHING: Final = re.compile(
    r"\b(?:please|want|need|would like|wish|could you|can you|should be|let's|let us|tell me|i'd like|show)\b", re.I
)
_TOLD: Final = re.compile(
    r"\b(?:saying|that says|to say|with the text)\b|\b(?:note|message)\b[^.:\n]{0,100}:\s", re.IGNORECASE
)
"""What follows is a text of the user's, not more orders."""
_OPENERS: Final = frozenset({"please", "i'd", "could", "can", "would", "kindly"})
_WANTING: Final = frozenset({"want", "need", "would", "wish"})


def clauses(text: str) -> list[str]:
    """Cut a text at sentences, and at "and" or a comma where a new request begins; never inside quotes."""
    text = _GAP.sub(" ", text)
    told = _TOLD.search(text)
    end = told.end() if told else len(text)
    quotes = [match.span() for match in _QUOTED.finditer(text)]

    def quoted(at: int) -> bool:
        return any(start < at < end for start, end in quotes)

    sentences = (
        m.span() for m in _SENTENCE.finditer(text) if not _ABBREVIATION.search(text, max(0, m.start() - 8), m.start())
    )
    joints = (m.span() for m in _JOINT.finditer(text) if _opens(text[m.end() : m.end() + 60]))
    cuts = [(0, 0), *(span for span in (*sentences, *joints) if span[0] < end and not quoted(span[0]))]
    cuts.sort()
    ends = [start for start, _ in cuts[1:]] + [len(text)]
    found = (text[begin:end].strip() for (_, begin), end in zip(cuts, ends, strict=True))
    return [clause for clause in found if clause]


def _abbreviated(text: str, end: int) -> bool:
    return bool(_ABBREVIATION.search(text, max(0, end - 8), end))


def _opens(rest: str) -> bool:
    words = raw_words(rest)
    if not words:
        return False
    if words[0] == "i":
        return len(words) > 2 and words[1] in _WANTING
    if words[0] in _OPENERS:
        return len(words) > 2
    return words[0] in QUESTION or (verb_class(words[0]) is not None and len(words) > 1)


def asks(clause: str) -> bool:
    """Say whether a clause asks for something: a question, a wish, or an order."""
    words = raw_words(clause)
    if not words:
        return False
    return "?" in clause or words[0] in QUESTION or bool(ordered(clause)) or bool(_WISHING.search(clause))
