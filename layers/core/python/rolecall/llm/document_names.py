"""Names that documents carry in a model request: legal, and unique whatever the files are called."""

import re
import unicodedata
from typing import Final

_ILLEGAL: Final = re.compile(r"[^A-Za-z0-9\-()\[\]]+")
_EXTENSION: Final = re.compile(r"\.[A-Za-z0-9]{1,10}$")
_LONGEST: Final = 180
"""Of the 200 that Bedrock takes; the rest is room for a number."""
_NAMELESS: Final = "document"
_WHOLE_LETTERS: Final = str.maketrans(
    {"ø": "o", "Ø": "O", "æ": "ae", "Æ": "AE", "œ": "oe", "Œ": "OE", "ß": "ss", "đ": "d", "Đ": "D", "ł": "l", "Ł": "L"}
)
"""Letters that Unicode does not take apart into a Latin one and its mark."""


def legal_document_name(filename: str, used: set[str]) -> str:
    """Return a name that Bedrock takes for a file, and that no other document of the request has.

    The same files in the same order get the same names, so a replayed history repeats them.

    Args:
        filename: as the user named it; its folders and its extension go, `å` becomes `a`, other signs a space.
        used: the lower-cased names in the request so far; the new one is added.
    """
    name = _plain(filename) or _NAMELESS
    unique, number = name, 2
    while unique.lower() in used:
        unique, number = f"{name}-{number}", number + 1
    used.add(unique.lower())
    return unique


def _plain(filename: str) -> str:
    stem = _EXTENSION.sub("", re.split(r"[/\\]", filename)[-1].strip())
    letters = unicodedata.normalize("NFKD", stem.translate(_WHOLE_LETTERS))
    unmarked = "".join(letter for letter in letters if not unicodedata.combining(letter))
    return _ILLEGAL.sub(" ", unmarked).strip()[:_LONGEST].rstrip()
