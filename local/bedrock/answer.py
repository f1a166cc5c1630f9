"""A model's answer before it is on the wire: parts, cut to a token budget, then streamed or sent whole."""

import json
import re
import secrets
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from local.bedrock.tokens import count


@dataclass(frozen=True)
class Think:
    """Reasoning; its signature follows it."""

    text: str


@dataclass(frozen=True)
class Say:
    """Text of the answer."""

    text: str


@dataclass(frozen=True)
class CallTool:
    """A call of a tool; `raw` replaces the JSON of its input on the wire, however malformed."""

    name: str
    input: dict[str, Any] = field(default_factory=dict)
    call_id: str = field(default_factory=lambda: f"tooluse_{secrets.token_urlsafe(16)}")
    raw: str | None = None

    @property
    def text(self) -> str:
        """The arguments as they are written."""
        return json.dumps(self.input) if self.raw is None else self.raw


Part = Think | Say | CallTool


@dataclass(frozen=True)
class Answer:
    """What the model says and why it stops."""

    parts: list[Part]
    stop_reason: str

    @classmethod
    def of(cls, parts: list[Part]) -> "Answer":
        """Build an answer whose stop reason follows from its parts."""
        calls = any(isinstance(part, CallTool) for part in parts)
        return cls(parts, "tool_use" if calls else "end_turn")

    def output_tokens(self) -> int:
        """Estimate the tokens of all parts."""
        return sum(count(part.text) for part in self.parts)

    def cut(self, max_tokens: int | None) -> "Answer":
        """Return the answer as far as a token budget goes; a call may end in mid-JSON."""
        if max_tokens is None or self.output_tokens() <= max_tokens:
            return self
        kept: list[Part] = []
        left = max_tokens
        for part in self.parts:
            text = _first_tokens(part.text, left)
            left -= count(text)
            if text or not part.text:
                kept.append(_shortened(part, text))
            if left <= 0:
                break
        return Answer(kept, "max_tokens")


def _shortened(part: Part, text: str) -> Part:
    if isinstance(part, CallTool):
        return replace(part, raw=text)
    return replace(part, text=text)


def _first_tokens(text: str, tokens: int) -> str:
    end, used = 0, 0
    for piece in pieces(text):
        used += count(piece)
        if used > tokens:
            break
        end += len(piece)
    return text[:end]


def pieces(text: str) -> list[str]:
    """Cut a text as a model's tokens would come: a word or a part of it at a time, nothing lost."""
    return re.findall(r"\s*\S{1,6}|\s+", text)


def events(answer: Answer, usage: dict[str, int], latency_ms: int) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the Converse stream's events as (name, body)."""
    yield "messageStart", {"role": "assistant"}
    for index, part in enumerate(answer.parts):
        if isinstance(part, CallTool):
            start = {"toolUse": {"toolUseId": part.call_id, "name": part.name}}
            yield "contentBlockStart", {"contentBlockIndex": index, "start": start}
        for delta in _deltas(part):
            yield "contentBlockDelta", {"contentBlockIndex": index, "delta": delta}
        yield "contentBlockStop", {"contentBlockIndex": index}
    yield "messageStop", {"stopReason": answer.stop_reason}
    yield "metadata", {"usage": usage, "metrics": {"latencyMs": latency_ms}}


def _deltas(part: Part) -> Iterator[dict[str, Any]]:
    for piece in pieces(part.text):
        match part:
            case Say():
                yield {"text": piece}
            case Think():
                yield {"reasoningContent": {"text": piece}}
            case CallTool():
                yield {"toolUse": {"input": piece}}
    if isinstance(part, Think):
        yield {"reasoningContent": {"signature": signature(part.text)}}


def signature(text: str) -> str:
    """Return the offline model's signature of a reasoning text: a mark of where it came from, no proof."""
    return f"rolecall-offline-{len(text)}"


def whole(answer: Answer, usage: dict[str, int], latency_ms: int) -> dict[str, Any]:
    """Return the body of a Converse response."""
    content = [_block(part) for part in answer.parts]
    return {
        "output": {"message": {"role": "assistant", "content": content}},
        "stopReason": answer.stop_reason,
        "usage": usage,
        "metrics": {"latencyMs": latency_ms},
    }


def _block(part: Part) -> dict[str, Any]:
    match part:
        case Say():
            return {"text": part.text}
        case Think():
            thought = {"text": part.text, "signature": signature(part.text)}
            return {"reasoningContent": {"reasoningText": thought}}
        case CallTool():
            given = part.input if part.raw is None else {}
            return {"toolUse": {"toolUseId": part.call_id, "name": part.name, "input": given}}
