"""Text and JSON that every store accepts: Postgres refuses NUL, UTF-8 refuses half a character."""

from typing import Any


def storable_text(text: str) -> str:
    """Drop NUL characters and put U+FFFD for lone surrogates."""
    return text.replace("\x00", "").encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def storable(value: Any) -> Any:
    """Do the same throughout a JSON value, keys included."""
    if isinstance(value, str):
        return storable_text(value)
    if isinstance(value, dict):
        return {storable_text(str(name)): storable(inner) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [storable(inner) for inner in value]
    return value


def is_blank(text: str) -> bool:
    """Say whether a text has nothing to read: only whitespace, control and format (zero-width) characters."""
    if text[:1].isalnum():
        return False
    import unicodedata

    return all(char.isspace() or unicodedata.category(char) in {"Cc", "Cf"} for char in text)


def pieces(text: str, size: int) -> list[str]:
    """Cut a text into pieces of at most `size` code points, not between a character and what joins to it."""
    parts: list[str] = []
    start = 0
    while len(text) - start > size:
        end = start + size
        while end > start + size // 2 and _joins(text, end):
            end -= 1
        parts.append(text[start:end])
        start = end
    return [*parts, text[start:]] if text[start:] or not parts else parts


def _joins(text: str, at: int) -> bool:
    import unicodedata

    joiner = "\u200d"
    following = text[at]
    return (
        following in {joiner, "\ufe0f"}
        or text[at - 1] == joiner
        or unicodedata.combining(following) != 0
        or "\U0001f3fb" <= following <= "\U0001f3ff"
    )
