"""pydantic-ai's stream events as ours: they become Converse events, and the one assembler does the rest."""

import json
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from secrets import token_hex
from typing import Any, Final

from pydantic_ai.messages import (
    ModelResponse,
    ModelResponseStreamEvent,
    PartDeltaEvent,
    PartStartEvent,
    TextPart,
    TextPartDelta,
    ThinkingPart,
    ThinkingPartDelta,
    ToolCallPart,
)

from rolecall.llm.apis.history import REDACTED
from rolecall.llm.stream import Assembler, StreamEvent
from rolecall.llm.tool_results import legal_call_id, legal_tool_name

_RAW_REASONS: Final = {
    "model_context_window_exceeded": "model_context_window_exceeded",
    "stop_sequence": "stop_sequence",
    "MALFORMED_FUNCTION_CALL": "malformed_tool_use",
    "UNEXPECTED_TOOL_CALL": "malformed_tool_use",
    "OTHER": "malformed_model_output",
}
_REASONS: Final = {
    "length": "max_tokens",
    "content_filter": "content_filtered",
    "error": "malformed_model_output",
}


class Answer:
    """One answer on its way."""

    def __init__(self, taken_ids: AbstractSet[str]) -> None:
        """`taken_ids` are the calls of the history: some servers number theirs anew in every answer."""
        self._assembler = Assembler()
        self._taken = set(taken_ids)
        self._calls: dict[int, str] = {}

    def feed(self, event: ModelResponseStreamEvent) -> Iterator[StreamEvent]:
        """Take one event and yield what a reader sees of it."""
        if isinstance(event, PartStartEvent):
            yield from self._begin(event.index, event.part)
        elif isinstance(event, PartDeltaEvent):
            if isinstance(event.delta, TextPartDelta):
                yield from self._text(event.index, event.delta.content_delta)
            elif isinstance(event.delta, ThinkingPartDelta):
                yield from self._thought(event.index, event.delta.content_delta)

    def finish(self, response: ModelResponse, latency_ms: int) -> Iterator[StreamEvent]:
        """Close the answer with what is known only now; raise ModelError where it broke off."""
        for index, part in enumerate(response.parts):
            yield from self._close(index, part)
        if reason := self._reason(response):
            yield from self._assembler.feed({"messageStop": {"stopReason": reason}})
        usage = response.usage
        cached = {"cacheReadInputTokens": usage.cache_read_tokens, "cacheWriteInputTokens": usage.cache_write_tokens}
        tokens = {
            "inputTokens": max(0, usage.input_tokens - sum(cached.values())),
            "outputTokens": usage.output_tokens,
            **cached,
        }
        yield from self._assembler.feed({"metadata": {"usage": tokens, "metrics": {"latencyMs": latency_ms}}})
        yield self._assembler.finish()

    def _begin(self, index: int, part: Any) -> Iterator[StreamEvent]:
        if isinstance(part, TextPart):
            yield from self._text(index, part.content)
        elif isinstance(part, ThinkingPart):
            yield from self._thought(index, part.content)
        elif isinstance(part, ToolCallPart):
            yield from self._call(index, part)

    def _call(self, index: int, part: ToolCallPart) -> Iterator[StreamEvent]:
        known = legal_call_id(part.tool_call_id)
        if known in self._taken:
            known = legal_call_id(f"{part.tool_call_id}-{token_hex(4)}")
        self._taken.add(known)
        self._calls[index] = known
        start = {"toolUse": {"toolUseId": known, "name": legal_tool_name(part.tool_name)}}
        yield from self._assembler.feed({"contentBlockStart": {"contentBlockIndex": index, "start": start}})

    def _text(self, index: int, text: str) -> Iterator[StreamEvent]:
        if text:
            yield from self._delta(index, {"text": text})

    def _thought(self, index: int, text: str | None) -> Iterator[StreamEvent]:
        if text:
            yield from self._delta(index, {"reasoningContent": {"text": text}})

    def _close(self, index: int, part: Any) -> Iterator[StreamEvent]:
        if isinstance(part, ToolCallPart) and index in self._calls:
            arguments = part.args if isinstance(part.args, str) else json.dumps(part.args or {})
            yield from self._delta(index, {"toolUse": {"input": arguments}})
        elif isinstance(part, ThinkingPart) and part.signature:
            sealed = part.id == REDACTED
            kept = {"redactedContent": part.signature.encode()} if sealed else {"signature": part.signature}
            yield from self._delta(index, {"reasoningContent": kept})

    def _delta(self, index: int, delta: dict[str, Any]) -> Iterator[StreamEvent]:
        yield from self._assembler.feed({"contentBlockDelta": {"contentBlockIndex": index, "delta": delta}})

    def _reason(self, response: ModelResponse) -> str | None:
        """Converse's word for why the answer ended; None where it did not end but broke off."""
        raw = (response.provider_details or {}).get("finish_reason")
        if known := _RAW_REASONS.get(str(raw)):
            return known
        if response.finish_reason in ("stop", "tool_call"):
            # Some servers say "stop" of an answer that ends in calls, as they all did before there were tools.
            return "tool_use" if self._calls else "end_turn"
        return _REASONS.get(response.finish_reason or "")
