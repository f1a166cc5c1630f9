"""A request that is too large: files go first, then what tools returned, then the longest texts are cut."""

from collections.abc import Callable, Sequence
from typing import Any, Final

from rolecall.llm.contract import size
from rolecall.llm.repair import words
from rolecall.llm.repair.blocks import Block, Message
from rolecall.llm.repair.files import each

_SHORT: Final = 1_000
"""What stays of a text that has to be cut, and how long a result may be to stay whole, in characters."""


def bounded(body: dict[str, Any]) -> dict[str, Any]:
    """Make the request small enough, the oldest first; one that is small enough is not touched."""
    for change in (_without_file, _without_output, _without_input, _cut):
        excess = size.size_of(body) - size.MAX_REQUEST_BYTES
        if excess <= 0:
            return body
        body = {**body, "messages": _lighter(body["messages"], change, excess)}
    return _cut_system(body)


def _lighter(messages: Sequence[Message], change: Callable[[Block], Block], excess: int) -> list[Message]:
    left = excess

    def lighten(block: Block) -> Block:
        nonlocal left
        if left <= 0:
            return block
        changed = change(block)
        left -= size.size_of(block) - size.size_of(changed) if changed is not block else 0
        return changed

    return each(messages, lighten)


def _without_file(block: Block) -> Block:
    for kind in ("document", "image"):
        if kind in block:
            return {"text": words.left_out(kind, block[kind], words.TOO_LARGE)}
    return block


def _without_output(block: Block) -> Block:
    if "json" in block and size.size_of(block) > _SHORT:
        return {"text": f"(Output left out: {words.TOO_LARGE}.)"}
    return block


def _without_input(block: Block) -> Block:
    if "toolUse" in block and size.size_of(block["toolUse"]["input"]) > _SHORT:
        return {"toolUse": {**block["toolUse"], "input": {}}}
    return block


def _cut(block: Block) -> Block:
    if "text" in block and len(block["text"]) > _SHORT + len(words.CUT):
        return {"text": block["text"][:_SHORT] + words.CUT}
    return block


def _cut_system(body: dict[str, Any]) -> dict[str, Any]:
    if size.size_of(body) <= size.MAX_REQUEST_BYTES or not body.get("system"):
        return body
    return {**body, "system": [_cut(block) for block in body["system"]]}
