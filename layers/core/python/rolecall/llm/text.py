"""What counts as text for a model: blank is what the service refuses."""

import unicodedata


def is_blank(text: str) -> bool:
    """Say whether a text has nothing to read: only whitespace, control and format (zero-width) characters."""
    return all(char.isspace() or unicodedata.category(char) in {"Cc", "Cf"} for char in text)
