"""Values of a kind, found in a clause: each finder returns what it found, or None."""

import json
import re
from collections.abc import Callable
from typing import Any, Final

from local.bedrock.offline.schema import Parameter
from local.bedrock.offline.words import GLUE, human, raw_words, stem, verb_class

UUID: Final = re.compile(r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", re.IGNORECASE)
EMAIL: Final = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
URL: Final = re.compile(
    r"\b(?:https?|s3)://[^\s<>\"]*[^\s<>\".,;:!?)]|\b(?:www\.|linkedin\.com/)[^\s<>\"]*[^\s<>\".,;:!?)]",
    re.IGNORECASE,
)
DATE: Final = re.compile(r"\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2})?(?:Z|[+-]\d{2}:\d{2})?)?")
PHONE: Final = re.compile(r"(?<![\w-])\+?\d[\d ()./-]{5,28}\d(?![\w-])")
QUOTED: Final = re.compile(r"\"([^\"\n]+)\"|“([^”\n]+)”|«([^»\n]+)»|`([^`\n]+)`|(?<!\w)'([^'\n]+)'(?!\w)")
_NO_NOUN: Final = frozenset({"id", "ids", "uuid", "number", "no", "nr", "named"})
_NUMBER: Final = r"(?<![\w.-])-?\d{1,3}(?:,\d{3})+(?:\.\d+)?k?\b|(?<![\w.-])-?\d+(?:\.\d+)?k?\b"
_AMOUNT: Final = re.compile(
    r"\b(?:top|first|at most|up to|limit(?:ed)? to|limit|max(?:imum)?(?: of)?|the best|only)\s+(\d+)\b", re.I
)
_PLACE: Final = re.compile(
    r"\b(?:in|near|around|based in|from|to)\s+((?:[^\W\d_][\w'-]*(?:,\s*)?\s?){1,4})", re.IGNORECASE
)
_PERSON: Final = re.compile(r"(?<![\w'-])[^\W\d_a-z][\w'-]*(?:\s+[^\W\d_a-z][\w'-]*)+")
_TOPIC: Final = re.compile(
    r"\b(?:for|about|matching|mentioning|containing|regarding|on|of)\s+"
    r"(.+?)(?=\s+(?:in|at|near|with|from)\s|[.?!,;]|$)",
    re.IGNORECASE,
)
_TOLD: Final = re.compile(
    r"(?:\b(?:saying|that says|to say|with the text|telling (?:him|her|them))\b|:)\s*(.+)$", re.IGNORECASE | re.DOTALL
)


def unquoted(text: str) -> str:
    """Return the text in a pair of quotes if it begins with one, else the text without what ends a sentence."""
    text = text.strip()
    if (match := QUOTED.match(text)) is not None:
        return next(group for group in match.groups() if group is not None)
    text = re.sub(r"(?<![\s,])[\s,]*\b(?:please|thanks|thank you)[.!]*$", "", text, flags=re.IGNORECASE)
    return text.strip().rstrip(".,;:!?").strip()


def quoted(clause: str) -> list[str]:
    """Return all quoted texts."""
    return [next(g for g in match.groups() if g is not None) for match in QUOTED.finditer(clause)]


def chosen(parameter: Parameter, clause: str) -> Any | None:
    """Return the value of an enum whose words the clause holds; the longest that fits."""
    stems = [stem(word) for word in raw_words(clause)]
    best, length = None, 0
    for value in parameter.enum:
        words = [stem(word) for word in raw_words(human(str(value)))]
        fits = any(stems[i : i + len(words)] == words for i in range(len(stems) - len(words) + 1))
        if words and fits and len(words) > length:
            best, length = value, len(words)
    return best


def flag(parameter: Parameter, clause: str) -> bool | None:
    """Return True when the clause names the flag, False when it says "without" it."""
    words = set(human(parameter.name).split()) - {"include", "only", "is", "has", "with", "allow", "use", "online"}
    stems = {stem(word) for word in words}
    said = raw_words(clause)
    for i, word in enumerate(said):
        if stem(word) in stems:
            return not {"no", "not", "without", "don't", "exclude", "skip"} & set(said[max(0, i - 2) : i])
    return None


def number(parameter: Parameter, clause: str) -> int | float | None:
    """Return the number beside the parameter's name, or the one that "top 5" or "5 years" gives it."""
    masked = UUID.sub(" ", DATE.sub(" ", EMAIL.sub(" ", clause)))
    if parameter.is_called("limit", "top", "max", "count") and (match := _AMOUNT.search(masked)):
        return _read_number(match[1], parameter)
    for alias in [*parameter.aliases, *_units(parameter)]:
        word = rf"\b{re.escape(alias)}\b"
        for pattern in (rf"{word}[^\d\n]{{0,16}}({_NUMBER})", rf"({_NUMBER})\+?\s*(?:[%€$]\s*)?(?:of\s+)?{word}"):
            if match := re.search(pattern, masked, re.IGNORECASE):
                return _read_number(match[1], parameter)
    return None


def _units(parameter: Parameter) -> list[str]:
    words = human(parameter.name).split()
    units = [word for word in words if word not in {"min", "max", "back", "minimum", "maximum", "expected"}]
    return sorted({*units, *(word.removesuffix("s") for word in units)}, key=len, reverse=True)


def _read_number(text: str, parameter: Parameter) -> int | float:
    value = float(text.lower().replace(",", "").removesuffix("k")) * (1000 if text.lower().endswith("k") else 1)
    if parameter.kind == "integer" or value.is_integer():
        return int(value) if abs(value) < 1e15 else 0
    return value


def _ids(clause: str) -> list[tuple[str, str]]:
    """Return (stem of the noun before it, id) for each id; in a list of ids the noun stands before the first."""
    found, noun, end = [], "", 0
    for match in UUID.finditer(clause):
        words = [word for word in raw_words(clause[end : match.start()]) if word not in _NO_NOUN | GLUE]
        noun, end = stem(words[-1]) if words else noun, match.end()
        found.append((noun, match[0]))
    return found


def _noun(parameter: Parameter) -> str:
    return stem((human(re.sub(r"_?(ids?|uuids?)$", "", parameter.name)).split() or ["id"])[-1])


def identifier(parameter: Parameter, known: list[Parameter], clause: str) -> str | None:
    """Return the id after the parameter's noun, or the only id there is if it has no other parameter's noun."""
    ids = _ids(clause)
    named = [value for noun, value in ids if noun == _noun(parameter)]
    if named:
        return named[0]
    others = {_noun(other) for other in known if other.name.endswith(("_id", "_ids"))}
    free = len(ids) == 1 and parameter.required and ids[0][0] not in others
    return ids[0][1] if free else None


def place(_: Parameter, clause: str) -> str | None:
    """Return a place named after "in" or "near": words that begin with a capital."""
    for match in _PLACE.finditer(clause):
        words = re.match(r"[^\W\d_a-z][\w'-]*(?:[,\s]+[^\W\d_a-z][\w'-]*)*", match[1])
        if words is not None:
            return words[0].strip(" ,")
    return None


def person(_: Parameter, clause: str) -> str | None:
    """Return a name: two or more words in a row that begin with a capital, not at the start of an order."""
    text = clause
    if raw_words(text) and verb_class(raw_words(text)[0]) is not None:
        text = text.partition(" ")[2]
    match = _PERSON.search(text)
    return match[0] if match else None


def topic(_: Parameter, clause: str) -> str | None:
    """Return what a search is for: what follows "for" or "about"."""
    match = _TOPIC.search(clause)
    return re.sub(r"^(?:an?|the)\s+", "", unquoted(match[1]), flags=re.IGNORECASE) or None if match else None


def told(_: Parameter, clause: str) -> str | None:
    """Return a text to be written or sent: in quotes, or after a colon or "saying"."""
    if found := quoted(clause):
        return found[0]
    match = _TOLD.search(clause)
    return match[1].strip() or None if match else None


def sql(clause: str) -> str | None:
    """Return a SELECT written out in the clause."""
    match = re.search(r"\bselect\b.+\bfrom\b.+", clause, re.IGNORECASE | re.DOTALL)
    return match[0].strip() if match else None


def shaped(pattern: re.Pattern[str]) -> Callable[[Parameter, str], str | None]:
    """Build a finder of the first text of a shape."""

    def find(_: Parameter, clause: str) -> str | None:
        match = pattern.search(clause)
        return match[0].strip() if match else None

    return find


def literal(_: Parameter, clause: str) -> dict[str, Any] | None:
    """Return a JSON object written out in the clause."""
    start = clause.find("{")
    if start < 0:
        return None
    try:
        value, _end = json.JSONDecoder().raw_decode(clause[start:])
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def several(parameter: Parameter, clause: str) -> list[str] | None:
    """Return the list that follows the parameter's name, parted by commas and "and"."""
    if parameter.item == "uuid":
        return [value for noun, value in _ids(clause) if noun == _noun(parameter)] or None
    for alias in parameter.aliases:
        match = re.search(
            rf"\b{re.escape(alias)}\b\s*(?:are|is|to|as|like|such as|including|of|in|=|:)?\s+(.+)$|"
            rf"\b{re.escape(alias)}\s*[:=]\s*(.+)$",
            clause,
            re.IGNORECASE | re.DOTALL,
        )
        if match:
            return _listed(match[1] or match[2]) or None
    return None


def _listed(text: str) -> list[str]:
    text = re.split(r"\s+(?:in|near|with|for|at|from|who|that)\s+|[.?!;](?:\s|$)|\n", text, maxsplit=1)[0]
    parts = re.split(r"\s*[,/&]\s*(?:and\s+)?|\s+(?:and|or)\s+", text)
    return [part for part in (unquoted(part) for part in parts) if part]
