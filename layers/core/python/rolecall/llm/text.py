"""What counts as text for a model: blank is what the service refuses."""

from rolecall.text import is_blank

__all__ = ["is_blank"]
