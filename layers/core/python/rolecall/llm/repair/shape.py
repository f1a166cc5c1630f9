"""Whatever is there becomes something of a request's shape."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rolecall.llm.contract.kinds import BLOCK, REQUEST, RESULT_PART, SYSTEM_BLOCK, TOOL_RESULT, Kind, ListOf, Part
from rolecall.llm.contract.shape import fits, is_unicode
from rolecall.llm.repair import words
from rolecall.llm.repair.plain import plain

_MISSING: Final = object()
_ASSISTANTS: Final = frozenset({"assistant", "ai", "model", "bot"})
_FILES: Final = ("image", "document")


def shaped(request: Any) -> dict[str, Any]:
    """Return something of a request's shape that keeps of what is there what can be kept."""
    given = request if isinstance(request, dict) else {}
    body: dict[str, Any] = {"messages": list(_messages(given.get("messages")))}
    for name, kind in REQUEST.fields.items():
        value = given.get(name)
        if name == "messages" or value is None:
            continue
        if name == "system":
            body[name] = [block for item in _listed(value) for block in _blocks(item, SYSTEM_BLOCK)]
        elif (whole := _coerced(kind, value)) is not _MISSING:
            body[name] = whole
    return body


def _messages(given: Any) -> Iterator[dict[str, Any]]:
    for message in _listed(given):
        if isinstance(message, str):
            yield {"role": "user", "content": list(_blocks(message, BLOCK))}
        elif isinstance(message, Mapping):
            said = message.get("content")
            said = message.get("text") if said is None else said
            content = [block for item in _listed(said) for block in _blocks(item, BLOCK)]
            yield {"role": _role(message.get("role")), "content": content}


def _role(given: Any) -> str:
    return "assistant" if isinstance(given, str) and given.lower() in _ASSISTANTS else "user"


def _listed(given: Any) -> list[Any]:
    if given is None:
        return []
    return list(given) if isinstance(given, (list, tuple)) else [given]


def _blocks(given: Any, kind: Part) -> Iterator[dict[str, Any]]:
    """One thing in a list of blocks, as blocks: text is text however it is wrapped."""
    if fits(kind, given):
        yield given
    elif not isinstance(given, Mapping):
        if (text := _coerced("text", given)) is not _MISSING:
            yield {"text": text}
    elif not kind.fields.keys() & given.keys():
        if isinstance(given.get("content"), str):
            yield {"text": _unicode(given["content"])}
    else:
        for name in kind.fields:
            if name in given:
                yield from _block(name, kind.fields[name], given[name])


def _block(name: str, kind: Kind, value: Any) -> Iterator[dict[str, Any]]:
    if name == "toolResult" and isinstance(value, Mapping):
        yield {name: _result(value)}
    elif name == "toolUse" and isinstance(value, Mapping):
        yield {name: _use(value)}
    elif (whole := _coerced(kind, value)) is not _MISSING:
        yield {name: whole}
    elif name in _FILES:
        yield {"text": words.left_out(name, value, words.UNREADABLE)}


def _use(given: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "toolUseId": _name(given.get("toolUseId")),
        "name": _name(given.get("name")),
        "input": plain(given.get("input")),
    }


def _result(given: Mapping[str, Any]) -> dict[str, Any]:
    parts = [part for item in _listed(given.get("content")) for part in _parts(item)]
    result = {"toolUseId": _name(given.get("toolUseId")), "content": parts}
    for name in ("status", "type"):
        if (value := _coerced(TOOL_RESULT.fields[name], given.get(name))) is not _MISSING:
            result[name] = value
    return result


def _parts(item: Any) -> Iterator[dict[str, Any]]:
    if isinstance(item, Mapping) and not RESULT_PART.fields.keys() & item.keys():
        yield {"json": plain(item)}
    else:
        yield from _blocks(item, RESULT_PART)


def _name(given: Any) -> str:
    value = _coerced("text", given)
    return "" if value is _MISSING else str(value)


def _coerced(kind: Kind, value: Any) -> Any:
    """The value made to fit its kind; _MISSING where it cannot be."""
    if fits(kind, value):
        return value
    if isinstance(kind, Part):
        return _coerced_part(kind, value)
    if isinstance(kind, ListOf):
        items = [_coerced(kind.item, item) for item in _listed(value)]
        return [item for item in items if item is not _MISSING]
    if kind == "text" and isinstance(value, str):
        return _unicode(value)
    if kind == "text" and isinstance(value, (int, float)) and not isinstance(value, bool):
        return str(plain(value))
    if kind == "bytes" and isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    return plain(value) if kind == "json" else _MISSING


def _coerced_part(part: Part, value: Any) -> Any:
    if not isinstance(value, Mapping):
        return _MISSING
    fields = {name: _coerced(kind, value[name]) for name, kind in part.fields.items() if name in value}
    whole = {name: inner for name, inner in fields.items() if inner is not _MISSING}
    if part.union:
        whole = dict(list(whole.items())[:1])
    return whole if part.required <= whole.keys() and (whole or not part.union) else _MISSING


def _unicode(text: str) -> str:
    return text if is_unicode(text) else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
