"""Reading attached files from S3: several at once, each within its limit, all within a time."""

from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from typing import Final

from rolecall.aws import objects
from rolecall.conversations.attachments.keys import own_keys
from rolecall.identity import Caller
from rolecall.llm.contract.documents import MAX_DOCUMENT_BYTES, MAX_IMAGE_BYTES
from rolecall.telemetry import log

FETCH_SECONDS: Final = 12.0
LARGEST: Final = max(MAX_DOCUMENT_BYTES, MAX_IMAGE_BYTES)
_AT_ONCE: Final = 8


class Trouble(StrEnum):
    """Why a file could not be read."""

    MISSING = "missing"
    TOO_LARGE = "too large"
    UNAVAILABLE = "unavailable"


Found = tuple[str, bytes] | Trouble
"""The key under which the file lay and its bytes, or why there are none."""


def fetch(bucket: str, caller: Caller, keys: Sequence[str]) -> Mapping[str, Found]:
    """Read files of the caller's, by key. Somebody else's is MISSING, as one that is not there.

    No thread is left when this returns.
    """
    return dict(zip(keys, _together(lambda key: _fetch(bucket, caller, key), keys), strict=True))


def _together(read: Callable[[str], Found], keys: Sequence[str]) -> list[Found]:
    if len(keys) < 2:
        return [read(key) for key in keys]
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="attachment") as pool:
        return list(pool.map(read, keys))


def _fetch(bucket: str, caller: Caller, key: str) -> Found:
    try:
        for candidate in own_keys(caller, key):
            if found := objects.fetch_quickly(bucket, candidate, limit=LARGEST, seconds=FETCH_SECONDS):
                return candidate, found.body
    except objects.ObjectTooLarge:
        return Trouble.TOO_LARGE
    except objects.ObjectUnavailable as error:
        log.warning("attachment was not read", extra={"reason": str(error)})
        return Trouble.UNAVAILABLE
    return Trouble.MISSING
