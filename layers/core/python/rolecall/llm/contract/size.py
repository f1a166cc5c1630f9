"""How much a request weighs in all."""

import marshal
from collections.abc import Iterator
from typing import Any, Final

from rolecall.llm.contract.reading import Reading
from rolecall.llm.contract.violation import Violation

MAX_REQUEST_BYTES: Final = 25_000_000
"""Of InvokeModel's body in botocore's model; a file counts with its own bytes, not with those of base64."""


def check(reading: Reading) -> Iterator[Violation]:
    """Yield a violation if the whole is too large."""
    size = size_of(reading.request)
    if size > MAX_REQUEST_BYTES:
        text = f"The request holds {size} bytes. The limit is {MAX_REQUEST_BYTES}: Input is too long."
        yield Violation("messages", "request_size", text)


def size_of(value: Any) -> int:
    """Count the bytes of a JSON-like value that may hold bytes; a few more for what holds it together."""
    try:
        return len(marshal.dumps(value, 2))  # many times as fast as a walk; version 2 writes equal parts out each time
    except ValueError:
        return _walked(value)  # a subclass of str or int


def _walked(value: Any) -> int:
    if isinstance(value, str):
        return len(value) if value.isascii() else len(value.encode("utf-8", "replace"))
    if isinstance(value, bytes):
        return len(value)
    if isinstance(value, dict):
        return sum(len(name) + _walked(inner) + 10 for name, inner in value.items())
    if isinstance(value, (list, tuple)):
        return 5 + sum(_walked(inner) for inner in value)
    return 5 + (value.bit_length() // 8 if isinstance(value, int) else 4)
