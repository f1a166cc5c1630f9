"""The older name of `google`."""

from rolecall.llm.providers.google import open_stream

__all__ = ["open_stream"]
