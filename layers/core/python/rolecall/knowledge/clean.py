"""The one place where text from outside is made fit to store, to measure and to match."""

import re
import unicodedata
from typing import Final

_LINE_ENDS: Final = re.compile("\r\n?|[\x0b\x0c\x1c-\x1e\x85\u2028\u2029]")
_DROPPED: Final = re.compile(
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u200b\u2060\ufeff\ufffe\uffff\U000e0000-\U000e007f]"
)
"""C0 and C1 controls, soft hyphens, zero-width spaces, non-characters and tags. Joiners stay: Persian and
emoji need them."""
_SOFT_BREAK: Final = re.compile("[\u00ad\ufffe]\n")
"""A hyphen that stands for nothing but the end of the line."""
_SURROGATES: Final = re.compile("[\ud800-\udfff]")
_TRAILING: Final = re.compile(r"[ \t\xa0]+(?=\n|\Z)")
_BLANK_LINES: Final = re.compile(r"\n{3,}")
_PATHS: Final = re.compile(r"[\\/]")
_SPACES: Final = re.compile(r"\s+")
FILENAME_CHARACTERS: Final = 255


def clean(text: str) -> str:
    """Return the text as it is stored: NFC, lines ended by \\n, no controls but \\t and \\n, no half characters."""
    text = _SOFT_BREAK.sub("", _LINE_ENDS.sub("\n", text))
    text = _SURROGATES.sub("\ufffd", _DROPPED.sub("", text))
    text = unicodedata.normalize("NFC", text)
    return _BLANK_LINES.sub("\n\n", _TRAILING.sub("", text)).strip()


def line(text: str, limit: int) -> str:
    """Return a title, a section or another label: one line of at most `limit` characters."""
    return _SPACES.sub(" ", clean(text)).strip()[:limit].rstrip()


def display_name(filename: str) -> str:
    """Return a file's name as it is shown and stored: without folders, one line, NFC, at most 255 characters."""
    name = line(_PATHS.split(filename)[-1], 4 * FILENAME_CHARACTERS)
    if len(name) > FILENAME_CHARACTERS:
        stem, dot, suffix = name.rpartition(".")
        keep = FILENAME_CHARACTERS - len(suffix) - 1
        name = f"{stem[:keep]}{dot}{suffix}" if stem and keep > 0 else name[:FILENAME_CHARACTERS]
    return name if name.strip(". ") else "unnamed"


def as_query(text: str) -> str:
    """Return a question as it is embedded and matched: cleaned, one line, bounded."""
    return line(text, 8_000)
