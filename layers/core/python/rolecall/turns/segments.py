"""A hop's answer as segments of the turn's row: text, reasoning with its signature, tool calls; in order."""

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final

from rolecall.llm.stream import Finished
from rolecall.tools.models import Call

Segment = dict[str, Any]
BETWEEN_HOPS: Final = "\n\n"


def segments_of(finished: Finished, hop: int, calls: Sequence[Call], *, model: str) -> list[Segment]:
    """Render what a hop said; reasoning names the `model` that signed it.

    A call that may not run (the answer was cut inside it) leaves nothing.
    """
    ids = iter(call.tool_call_id for call in calls)
    segments = (segment for block in finished.content for segment in _of_block(block, hop, ids, model))
    return list(segments) or [{"type": "text", "text": "", "hop": hop}]


def _of_block(block: Any, hop: int, ids: Iterator[str], model: str) -> Iterator[Segment]:
    if "text" in block:
        yield {"type": "text", "text": block["text"], "hop": hop}
    elif reasoning := block.get("reasoningContent"):
        yield {"type": "reasoning", "hop": hop, "model": model} | _reasoning(reasoning)
    elif "toolUse" in block and (call_id := next(ids, None)) is not None:
        yield {"type": "tool_call", "toolCallId": call_id, "hop": hop}


def _reasoning(reasoning: Any) -> Segment:
    if "redactedContent" in reasoning:
        return {"text": "", "redacted": b64encode(reasoning["redactedContent"]).decode()}
    text = reasoning["reasoningText"]
    return {"text": text["text"], "signature": text.get("signature", "")}


def content_of(segments: Iterable[Segment]) -> str:
    """The answer's text: what each hop said, hops apart by an empty line."""
    by_hop: dict[int, str] = {}
    for segment in segments:
        if segment["type"] == "text":
            by_hop[segment["hop"]] = by_hop.get(segment["hop"], "") + segment["text"]
    return BETWEEN_HOPS.join(text for _, text in sorted(by_hop.items()) if text)
