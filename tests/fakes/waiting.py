"""Waiting for what another thread or process does."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


def eventually(look: Callable[[], T], timeout: float = 10) -> T:
    """Return what `look` returns as soon as that is true; fail when it stays false."""
    deadline = time.monotonic() + timeout
    while not (seen := look()):
        assert time.monotonic() < deadline, f"still {seen!r} after {timeout} s"
        time.sleep(0.02)
    return seen
