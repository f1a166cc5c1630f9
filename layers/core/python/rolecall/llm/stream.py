"""A model's answer as it arrives: stream events, and the assembler that builds them from Converse's own."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, cast

from rolecall.llm.errors import ModelError, ModelErrorKind, kind_of
from rolecall.llm.text import is_blank
from rolecall.llm.types import ContentBlock


@dataclass(frozen=True)
class TextDelta:
    """More of the answer's text."""

    text: str


@dataclass(frozen=True)
class ReasoningDelta:
    """More of what the model thinks; never part of the answer."""

    text: str


@dataclass(frozen=True)
class ToolUseStarted:
    """The model began to write a call; its arguments come with `Finished`."""

    call_id: str
    name: str


@dataclass(frozen=True)
class Restarted:
    """The answer broke off before any of its text came, and starts again: its reasoning and calls so far are void."""


@dataclass(frozen=True)
class Usage:
    """Tokens of one call; cached ones are not in `input_tokens`."""

    input_tokens: int = 0
    output_tokens: int = 0
    cache_read: int = 0
    cache_write: int = 0

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            self.input_tokens + other.input_tokens,
            self.output_tokens + other.output_tokens,
            self.cache_read + other.cache_read,
            self.cache_write + other.cache_write,
        )


@dataclass(frozen=True)
class Finished:
    """The last event: the whole answer in blocks, in order.

    `invalid_calls` names the calls that must not run, with the reason in words for the model: their arguments were
    no JSON object, or the answer stopped for another reason than `tool_use`. Their `input` in `content` is {}.
    """

    stop_reason: str
    content: list[ContentBlock]
    usage: Usage = Usage()
    latency_ms: int = 0
    invalid_calls: dict[str, str] = field(default_factory=dict)


StreamEvent = TextDelta | ReasoningDelta | ToolUseStarted | Restarted | Finished

_CUT: Final = {
    "max_tokens": "The answer reached its token limit before the call was complete.",
    "model_context_window_exceeded": "The conversation filled the model's context before the call was complete.",
    "malformed_tool_use": "The model wrote a call that cannot be read.",
    "malformed_model_output": "The model wrote an answer that cannot be read.",
    "guardrail_intervened": "A guardrail stopped the answer before the call was complete.",
    "content_filtered": "A content filter stopped the answer before the call was complete.",
}


@dataclass
class _Block:
    """One content block while its deltas come in."""

    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    signature: list[str] = field(default_factory=list)
    redacted: bytes = b""
    call: tuple[str, str] | None = None
    arguments: list[str] = field(default_factory=list)


class Assembler:
    """Join Converse's stream events into blocks, keyed by contentBlockIndex.

    Text and reasoning blocks have no contentBlockStart event, so a delta opens its block.
    """

    def __init__(self) -> None:
        self._blocks: dict[int, _Block] = {}
        self._stop_reason: str | None = None
        self._usage = Usage()
        self._latency_ms = 0

    def feed(self, event: Mapping[str, Any]) -> Iterator[StreamEvent]:
        """Take one event and yield what a reader sees of it; raise ModelError for an error event."""
        for name, body in event.items():
            if name == "contentBlockStart":
                yield from self._start(body)
            elif name == "contentBlockDelta":
                yield from self._delta(self._block(body), body["delta"])
            elif name == "messageStop":
                self._stop_reason = body["stopReason"]
            elif name == "metadata":
                self._metadata(body)
            elif name.endswith("Exception"):
                raise ModelError(kind_of(name), detail=str(body.get("message", "")))

    def finish(self) -> Finished:
        """Close the answer; raise ModelError when the stream ended before it did."""
        if self._stop_reason is None:
            raise ModelError(ModelErrorKind.STREAM, detail="the stream ended without messageStop")
        invalid: dict[str, str] = {}
        blocks = (self._content(self._blocks[index], invalid) for index in sorted(self._blocks))
        content = [block for block in blocks if block is not None]
        return Finished(self._stop_reason, content, self._usage, self._latency_ms, invalid)

    def _block(self, body: Mapping[str, Any]) -> _Block:
        return self._blocks.setdefault(body["contentBlockIndex"], _Block())

    def _start(self, body: Mapping[str, Any]) -> Iterator[StreamEvent]:
        block, use = self._block(body), body["start"].get("toolUse")
        if use is not None:
            block.call = (use["toolUseId"], use["name"])
            yield ToolUseStarted(use["toolUseId"], use["name"])

    def _delta(self, block: _Block, delta: Mapping[str, Any]) -> Iterator[StreamEvent]:
        reasoning = delta.get("reasoningContent", {})
        if text := delta.get("text"):
            block.text.append(text)
            yield TextDelta(text)
        if text := reasoning.get("text"):
            block.reasoning.append(text)
            yield ReasoningDelta(text)
        block.signature.append(reasoning.get("signature", ""))
        block.redacted += reasoning.get("redactedContent", b"")
        block.arguments.append(delta.get("toolUse", {}).get("input", ""))

    def _metadata(self, body: Mapping[str, Any]) -> None:
        usage = body.get("usage", {})
        self._usage = Usage(
            usage.get("inputTokens", 0),
            usage.get("outputTokens", 0),
            usage.get("cacheReadInputTokens", 0),
            usage.get("cacheWriteInputTokens", 0),
        )
        self._latency_ms = body.get("metrics", {}).get("latencyMs", 0)

    def _content(self, block: _Block, invalid: dict[str, str]) -> ContentBlock | None:
        if block.call is not None:
            call_id, name = block.call
            arguments, reason = self._arguments("".join(block.arguments))
            if reason is not None:
                invalid[call_id] = reason
            return {"toolUse": {"toolUseId": call_id, "name": name, "input": arguments}}
        if block.redacted:
            return {"reasoningContent": {"redactedContent": block.redacted}}
        if block.reasoning or any(block.signature):
            thought = {"text": "".join(block.reasoning), "signature": "".join(block.signature)}
            return cast("ContentBlock", {"reasoningContent": {"reasoningText": thought}})
        text = "".join(block.text)
        return None if is_blank(text) else {"text": text}  # a blank block would make the next request illegal

    def _arguments(self, text: str) -> tuple[dict[str, Any], str | None]:
        if self._stop_reason != "tool_use":
            return {}, _CUT.get(self._stop_reason or "", "The answer ended without asking for the call.")
        if not text.strip():
            return {}, None
        try:
            value = json.loads(text, parse_constant=_no_constant)
        except (ValueError, RecursionError) as exc:
            return {}, f"The arguments are not valid JSON: {exc}."
        if not isinstance(value, dict):
            return {}, f"The arguments must be a JSON object, not {type(value).__name__}."
        return value, None


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON value")


def assemble(events: Iterable[Mapping[str, Any]]) -> Iterator[StreamEvent]:
    """Turn Converse stream events into ours, `Finished` last."""
    assembler = Assembler()
    for event in events:
        yield from assembler.feed(event)
    yield assembler.finish()
