"""Who speaks when: one after the other, the user first and last."""

from collections.abc import Iterable, Sequence
from typing import Any

from rolecall.llm.repair import words
from rolecall.llm.repair.blocks import Message


def alternating(messages: Iterable[Message]) -> list[Message]:
    """Merge neighbours of one role; messages without content go."""
    merged: list[Message] = []
    for message in messages:
        if not message["content"]:
            continue
        if merged and merged[-1]["role"] == message["role"]:
            merged[-1] = {"role": message["role"], "content": [*merged[-1]["content"], *message["content"]]}
        else:
            merged.append(message)
    return merged


def framed(messages: Sequence[Message]) -> list[Message]:
    """Let a user's words stand first and last: what the assistant said before and after them stays."""
    if not messages:
        return [_user(words.NOTHING)]
    before = [_user(words.BEFORE)] if messages[0]["role"] != "user" else []
    after = [_user(words.GO_ON)] if messages[-1]["role"] != "user" else []
    return [*before, *messages, *after]


def _user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": [{"text": text}]}
