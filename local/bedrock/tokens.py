"""A token estimate good enough for budgets and usage: about four bytes a token."""

from typing import Any


def count(text: str) -> int:
    """Estimate the tokens of a text."""
    return -(-len(text.encode("utf-8", "surrogatepass")) // 4)


def count_request(value: Any) -> int:
    """Estimate the tokens of a request or any part of it; files count by their size."""
    match value:
        case str():
            return count(value)
        case bytes():
            return -(-len(value) // 750)
        case dict():
            return sum(count(str(key)) + count_request(item) for key, item in value.items())
        case list():
            return sum(count_request(item) for item in value)
    return 1
