"""Events that fit a frame: long deltas in several, long payloads cut with a mark, long answers by reference."""

import json
from collections.abc import Iterator
from typing import Final

from rolecall.protocol.events import ChatComplete, ChatError, ChatToolCall, ChatToolResult, TurnEvent
from rolecall.protocol.limits import POST_BYTES
from rolecall.text import pieces

DELTA_CHARACTERS: Final = 4_800
"""Fits a frame even where JSON writes every character as six bytes."""
CUT_MARK: Final = " …[cut to fit; the stored message has all of it]"


def split_delta(text: str) -> list[str]:
    """Cut a delta so that each piece fits a frame."""
    return pieces(text, DELTA_CHARACTERS)


def fit(event: TurnEvent) -> TurnEvent:
    """Return the event, or one like it that fits a frame."""
    if _fits(event):
        return event
    return next(smaller for smaller in _smaller(event) if _fits(smaller))


def _fits(event: TurnEvent) -> bool:
    return len(event.encoded().encode()) <= POST_BYTES


def _smaller(event: TurnEvent) -> Iterator[TurnEvent]:
    if isinstance(event, ChatToolCall):
        yield event.model_copy(update={"input_data": {"cut": _start_of(event.input_data)}})
    elif isinstance(event, ChatToolResult):
        yield event.model_copy(update={"output": _start_of(event.output), "truncated": True})
    elif isinstance(event, ChatComplete):
        yield event.model_copy(update={"content": "", "content_truncated": True})
        yield event.model_copy(update={"content": "", "content_truncated": True, "sources": []})
    elif isinstance(event, ChatError):
        yield event.model_copy(update={"content": ""})
    yield event.model_copy(update={"message": "", "sources": []})


def _start_of(value: object) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return text[:4_000] + CUT_MARK
