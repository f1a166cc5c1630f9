"""One broken rule."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Violation:
    """What is wrong where, in the service's words."""

    path: str
    """Such as `messages.1.content.0.text`."""
    rule: str
    """A short, stable name of the rule."""
    message: str
