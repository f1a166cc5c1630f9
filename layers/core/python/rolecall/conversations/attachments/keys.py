"""Keys of attached files: each under its owner's prefix, so that a key says whose file it is."""

import re
from typing import Final
from urllib.parse import unquote
from uuid import UUID, uuid4

from rolecall.identity import Caller

PREFIX: Final = "attachments/"
_UNSAFE: Final = re.compile(r"[^A-Za-z0-9._-]+")
_NAME_CHARACTERS: Final = 100


def new_key(caller: Caller, filename: str) -> str:
    """Make the key of a file that will be uploaded."""
    return f"{_own(caller)}{uuid4()}/{_safe(filename)}"


def own_keys(caller: Caller, key: str) -> list[str]:
    """Return the keys under which a file of the caller's may lie: the given one, and the same percent-decoded.

    Older pages sent a URL's path as the key, so its letters came percent-encoded. None where the key is not the
    caller's, in the company that they act for.
    """
    return [each for each in dict.fromkeys((key, unquote(key))) if _is_own(caller, each)]


def _own(caller: Caller) -> str:
    return f"{PREFIX}{caller.company_id or 'person'}/{caller.user_id}/"


def _is_own(caller: Caller, key: str) -> bool:
    if not key.startswith(_own(caller)) or not key.isprintable() or len(key.encode()) > 1024:
        return False
    folder, slash, name = key.removeprefix(_own(caller)).partition("/")
    try:
        UUID(folder)
    except ValueError:
        return False
    return bool(slash and name) and "/" not in name and name not in {".", ".."}


def _safe(filename: str) -> str:
    """A name of plain letters; the true one is kept with the message."""
    stem, dot, extension = _UNSAFE.sub("-", filename).rpartition(".")
    ending = f".{extension[:10]}" if dot and extension else ""
    stem = (stem if dot else extension).strip("-.")[: _NAME_CHARACTERS - len(ending)]
    return (stem or "file") + ending
