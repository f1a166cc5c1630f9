"""Documents and images: the newest that a request holds, under names of their own, with text beside them."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, Final

from rolecall.llm.contract.documents import MAX_DOCUMENTS, MAX_IMAGES, is_legal_name, is_readable
from rolecall.llm.document_names import legal_document_name
from rolecall.llm.repair import words
from rolecall.llm.repair.blocks import Block, Message

Change = Callable[[Block], Block]
_LIMITS: Final = {"document": MAX_DOCUMENTS, "image": MAX_IMAGES}


def bounded(messages: Sequence[Message]) -> list[Message]:
    """Bring the files of well-formed messages within the limits; a legal file is not touched."""
    surplus = _surplus(messages)
    changed = each(messages, lambda block: _placeholder(block, surplus))
    names: set[str] = set()
    taken = {block["document"]["name"].lower() for block in parts(changed) if "document" in block}
    return [_with_text(message) for message in each(changed, lambda block: _named(block, names, taken))]


def parts(messages: Sequence[Message]) -> Iterator[Block]:
    """Yield every block and every part of a tool result, in order."""
    for message in messages:
        for block in message["content"]:
            yield block
            yield from block.get("toolResult", {}).get("content", ())


def each(messages: Sequence[Message], change: Change) -> list[Message]:
    """Change blocks and parts of tool results; what the change leaves alone stays the same object."""
    return [{**message, "content": [_each(block, change) for block in message["content"]]} for message in messages]


def _each(block: Block, change: Change) -> Block:
    if "toolResult" not in block:
        return change(block)
    content = [change(part) for part in block["toolResult"]["content"]]
    return {"toolResult": {**block["toolResult"], "content": content}}


def _surplus(messages: Sequence[Message]) -> dict[str, int]:
    """How many files of each kind are too many."""
    counts = {kind: sum(kind in part for part in parts(messages)) for kind in _LIMITS}
    return {kind: counts[kind] - limit for kind, limit in _LIMITS.items()}


def _placeholder(block: Block, surplus: dict[str, int]) -> Block:
    """A line of text for a file, as long as there are too many: so the newest stay."""
    for kind in block.keys() & surplus.keys():
        if surplus[kind] > 0:
            surplus[kind] -= 1
            return {"text": words.left_out(kind, block[kind], words.TOO_MANY)}
    return block


def _named(block: Block, names: set[str], taken: set[str]) -> Block:
    if "document" not in block:
        return block
    document = block["document"]
    name = document["name"]
    if is_legal_name(name) and name.lower() not in names:
        names.add(name.lower())
        return block
    used = names | taken
    renamed = legal_document_name(name, used)
    names.add(renamed.lower())
    return {"document": {**document, "name": renamed}}


def _with_text(message: Message) -> Message:
    content = message["content"]
    beside = any(is_readable(block) for block in content)
    if beside or message["role"] != "user":
        return message
    changed = [_result_with_text(block, content) for block in content]
    if any("document" in block for block in content):
        at = len(changed)
        while at and "cachePoint" in changed[at - 1]:
            at -= 1
        changed.insert(at, {"text": words.ATTACHED})
    return {**message, "content": changed}


def _result_with_text(block: Block, content: Sequence[Mapping[str, Any]]) -> Block:
    result = block.get("toolResult")
    if result is None or not any("document" in part for part in result["content"]):
        return block
    inside = [part for other in content for part in other.get("toolResult", {}).get("content", ())]
    if any(is_readable(part) for part in inside) or any("document" in other for other in content):
        return block
    return {"toolResult": {**result, "content": [*result["content"], {"text": words.ATTACHED}]}}
