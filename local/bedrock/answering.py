"""What a request is answered with: what a test scripted, or else what the offline model says."""

from typing import Any

from local.bedrock import offline
from local.bedrock.answer import Answer, CallTool, Say, Think, pieces
from local.bedrock.requests import OFFLINE_MODEL
from local.bedrock.script import Step, StopAt


def answer_for(steps: tuple[Step, ...], body: dict[str, Any], model_id: str) -> Answer:
    """Return the answer to a legal Converse body, cut to its maxTokens."""
    scripted = [step for step in steps if isinstance(step, Say | Think | CallTool)]
    answer = Answer.of(list(scripted)) if scripted else offline.respond(body, thinking=_thinks(body, model_id))
    answer = answer.cut((body.get("inferenceConfig") or {}).get("maxTokens"))
    stop = next((step for step in steps if isinstance(step, StopAt)), None)
    return _stopped(answer, stop) if stop else answer


def _stopped(answer: Answer, stop: StopAt) -> Answer:
    parts = list(answer.parts)
    kind = CallTool if stop.inside_tool else Say
    at = next((i for i, part in enumerate(parts) if isinstance(part, kind)), None)
    if at is None:
        return Answer(parts, stop.reason)
    part = parts[at]
    if isinstance(part, CallTool):
        cut: Any = CallTool(part.name, part.input, part.call_id, raw=part.text[: max(1, len(part.text) - 2)])
    else:
        cut = Say("".join(pieces(part.text)[: stop.after_chunks]))
    return Answer([*parts[:at], cut], stop.reason)


def _thinks(body: dict[str, Any], model_id: str) -> bool:
    thinking = (body.get("additionalModelRequestFields") or {}).get("thinking") or {}
    return model_id == OFFLINE_MODEL or thinking.get("type") in ("enabled", "adaptive")
