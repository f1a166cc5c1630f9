"""What the model sees of a request: what the user typed, apart from everything that is only data."""

import json
import re
from dataclasses import dataclass, field
from typing import Any, Final

from local.bedrock.offline.attached import Files, names_files, read_files

_PREAMBLE: Final = re.compile(r"^\[Turn\]\n(.*?)\n\[/Turn\][ \t]*$", re.DOTALL | re.MULTILINE)
_CONTEXT: Final = re.compile(
    r"^\[context([^\]\n]*)\][ \t]*$(.*?)(?:^\[/context\1\][ \t]*$(?!.*^\[/context\1\][ \t]*$)|\Z)",
    re.DOTALL | re.MULTILINE | re.IGNORECASE,
)
"""Up to the last closing line, or to the end: a passage that closes the block itself gains nothing by it."""
_PASSAGE: Final = re.compile(r"^\[(\d+)\][ \t]*", re.MULTILINE)
_LABEL: Final = re.compile(r"\A\([^()\n]*\)\n")
"""Where the passage stands; no words of its own."""
_LABEL: Final = re.compile(r"\A\([^\n]*\)[ \t]*(?:\n|\Z)")
"""A passage's place (file, page, heading) on its first line: nothing to quote."""
_NO_MORE_TOOLS: Final = re.compile(r"\bno more tools\b", re.IGNORECASE)


@dataclass(frozen=True)
class Done:
    """A call of this turn and what it returned."""

    name: str
    input: dict[str, Any]
    ok: bool
    value: Any
    """A dict, or text."""


@dataclass
class Situation:
    """A request, read."""

    typed: str = ""
    preamble: str = ""
    system: str = ""
    passages: list[tuple[int, str]] = field(default_factory=list)
    tools: list[dict[str, Any]] = field(default_factory=list)
    choice: dict[str, Any] = field(default_factory=dict)
    done: list[Done] = field(default_factory=list)
    earlier: list[tuple[str, str]] = field(default_factory=list)
    """(role, text) of the messages before this turn, in order."""
    known: list[Done] = field(default_factory=list)
    """Calls of earlier turns."""
    files: Files = field(default_factory=Files)
    """What is attached."""
    may_call: bool = True

    @property
    def introduced(self) -> bool:
        """Say whether the conversation has heard that this is the offline model."""
        return any(role == "assistant" and "offline model" in text for role, text in self.earlier)


def read(body: dict[str, Any]) -> Situation:
    """Read a Converse body; the turn begins at the last message that holds words of the user."""
    messages = body["messages"]
    start = max((i for i, m in enumerate(messages) if m["role"] == "user" and _has_words(m)), default=0)
    config = body.get("toolConfig") or {}
    typed, preamble, passages = split(_text(messages[start]))
    return Situation(
        typed=typed,
        preamble=preamble,
        passages=passages,
        system="\n".join(block.get("text", "") for block in body.get("system") or []),
        tools=[tool["toolSpec"] for tool in config.get("tools") or [] if "toolSpec" in tool],
        choice=config.get("toolChoice") or {},
        done=_calls(messages[start:]),
        earlier=[*_said(messages[:start]), *_unanswered(messages[start])],
        known=_calls(messages[: start + 1]),
        files=read_files(messages, start),
        may_call=not _NO_MORE_TOOLS.search(_text(messages[-1])) if start < len(messages) - 1 else True,
    )


def split(text: str) -> tuple[str, str, list[tuple[int, str]]]:
    """Part a user message into (what was typed, the turn's preamble, passages of context)."""
    _, preamble, text = _parted(text)
    passages: list[tuple[int, str]] = []
    for block in _CONTEXT.finditer(text):
        parts = _PASSAGE.split(block[2])[1:]
        passages += [
            (int(n[:9]), _LABEL.sub("", passage).strip()) for n, passage in zip(parts[::2], parts[1::2], strict=True)
        ]
    return _CONTEXT.sub("", text).strip(), preamble, passages


def _parted(text: str) -> tuple[str, str, str]:
    """Part a text at its last preamble; what stands before it are older words that got no answer."""
    blocks = list(_PREAMBLE.finditer(text))
    if not blocks:
        return "", "", text
    return text[: blocks[-1].start()], blocks[-1][1], text[blocks[-1].end() :]


def _has_words(message: dict[str, Any]) -> bool:
    """Say whether a user message holds more than tool results and a note to them."""
    texts = [block["text"] for block in message["content"] if "text" in block]
    return not _results(message) or any(not _NO_MORE_TOOLS.search(text) for text in texts)


def _unanswered(message: dict[str, Any]) -> list[tuple[str, str]]:
    older = _parted(_text(message))[0].strip()
    return [("user", older)] if older else []


def _text(message: dict[str, Any]) -> str:
    texts = (block["text"] for block in message["content"] if "text" in block)
    return "\n".join(text for text in texts if not names_files(text))


def _results(message: dict[str, Any]) -> list[dict[str, Any]]:
    return [block["toolResult"] for block in message["content"] if "toolResult" in block]


def _said(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    said = []
    for message in messages:
        text = _text(message)
        if message["role"] == "user":
            text = split(text)[0] if _has_words(message) else ""
        if text.strip():
            said.append((message["role"], text.strip()))
    return said


def _calls(messages: list[dict[str, Any]]) -> list[Done]:
    uses = {b["toolUse"]["toolUseId"]: b["toolUse"] for m in messages for b in m["content"] if "toolUse" in b}
    return [
        Done(
            uses[result["toolUseId"]]["name"],
            uses[result["toolUseId"]]["input"],
            result.get("status", "success") == "success",
            _value(result["content"]),
        )
        for message in messages
        for result in _results(message)
        if result["toolUseId"] in uses
    ]


def _value(content: list[dict[str, Any]]) -> Any:
    for part in content:
        if "json" in part:
            return part["json"]
    text = "\n".join(part.get("text", "(a file)") for part in content)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return text
    return value if isinstance(value, dict | list) else text
