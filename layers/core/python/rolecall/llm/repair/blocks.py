"""Each block by itself: blank text goes, results become legal, what stands in the wrong message goes."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from rolecall.llm.contract.caching import is_legal_point
from rolecall.llm.contract.documents import is_legal_file
from rolecall.llm.contract.reasoning import is_signed
from rolecall.llm.repair import caching, words
from rolecall.llm.repair.plain import plain
from rolecall.llm.text import is_blank

Block = Mapping[str, Any]
Message = Mapping[str, Any]
_SUCCESSES: Final = frozenset({"ok", "success", "succeeded", "completed"})


def legal(messages: Sequence[Message], *, thinks: bool) -> list[Message]:
    """Repair the blocks of messages; a message that has none left is dropped.

    Args:
        messages: of the right shape.
        thinks: whether reasoning may stay.
    """
    kept: list[Message] = []
    for message in messages:
        role = "assistant" if message["role"] == "assistant" else "user"
        content = [block for given in message["content"] for block in _legal(given, role, thinks=thinks)]
        content = finished(content)
        if content:
            kept.append({"role": role, "content": content})
    return kept


def legal_system(body: dict[str, Any]) -> dict[str, Any]:
    """Repair the system's blocks; one with none left goes whole."""
    if not body.get("system"):
        return body
    kept = [block for block in body["system"] if not _is_blank(block) and not _is_wrong_point(block)]
    placed = caching.placed(kept)
    rest = {name: value for name, value in body.items() if name != "system"}
    return rest | ({"system": placed} if placed else {})


def _legal(block: Block, role: str, *, thinks: bool) -> Iterator[Block]:
    if "toolResult" in block:
        yield {"toolResult": _result(block["toolResult"])}
    elif "reasoningContent" in block:
        if thinks and role == "assistant" and is_signed(block):
            yield block
    elif "toolUse" in block:
        if role == "assistant":
            use = block["toolUse"]
            yield block if isinstance(use["input"], dict) else {"toolUse": {**use, "input": _object(use["input"])}}
    elif not _is_blank(block) and not _is_wrong_point(block):
        yield _file(block, role)


def _is_blank(block: Block) -> bool:
    return "text" in block and is_blank(block["text"])


def _is_wrong_point(block: Block) -> bool:
    return "cachePoint" in block and not is_legal_point(block["cachePoint"])


def _file(block: Block, role: str) -> Block:
    for kind in block.keys() & {"image", "document"}:
        if role != "user":
            return {"text": words.left_out(kind, block[kind], words.NOT_HERE)}
        if not is_legal_file(kind, block[kind]):
            return {"text": words.left_out(kind, block[kind], words.UNREADABLE)}
    return block


def _object(value: Any) -> dict[str, Any]:
    """A call's arguments: an object, also where it was stored as text."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except (ValueError, RecursionError):
            return {"value": value}
    whole: dict[str, Any] = plain(value if isinstance(value, dict) else {} if value is None else {"value": value})
    return whole


def _result(result: Block) -> Block:
    status = result.get("status")
    legal = dict(result)
    if status is not None and status not in ("success", "error"):
        legal["status"] = "success" if status.lower() in _SUCCESSES else "error"
    content = [_part(part) for part in result["content"] if not _is_blank(part)]
    empty = words.FAILED if legal.get("status") == "error" else words.NO_OUTPUT
    legal["content"] = content or [{"text": empty}]
    return legal if legal != result else result


def _part(part: Block) -> Block:
    if "json" in part and not isinstance(part["json"], dict):
        value = part["json"]
        text = value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)
        return {"text": words.NO_OUTPUT if is_blank(text) else text}
    return _file(part, "user")


def finished(content: list[Block]) -> list[Block]:
    """Drop what may not stand where the blocks around it have left it: last reasoning, cache points after nothing."""
    return caching.placed(_without_last_reasoning(content))


def _without_last_reasoning(content: list[Block]) -> list[Block]:
    end = len(content)
    while end and content[end - 1].keys() & {"reasoningContent", "cachePoint"}:
        end -= 1
    tail = [block for block in content[end:] if "cachePoint" in block]
    return content if len(tail) == len(content) - end else content[:end] + tail
