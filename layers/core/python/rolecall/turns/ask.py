"""Asks the model for a hop's answer, and once more where it gave none."""

from dataclasses import replace
from typing import Any, Final, cast

from rolecall.llm.capabilities import capabilities
from rolecall.llm.stream import Finished
from rolecall.llm.types import ConverseRequest, Message
from rolecall.telemetry import log
from rolecall.turns.calls import STOPPED_FOR_TOOLS
from rolecall.turns.listen import Heard, listen
from rolecall.turns.sender import Sender
from rolecall.turns.setting import Setting

ANSWER_NOW: Final = "[You gave no answer. Answer the user now, in words.]"
_MORE: Final = 2
"""An answer that did not fit gets so many times the room."""


def ask(sender: Sender, setting: Setting, request: ConverseRequest, heard: Heard, hop: int) -> Finished:
    """Return the model's answer, with the tokens of both where it was asked twice.

    It is asked again at most once, and only while the watchers have seen no word of an answer.

    Raises:
        ModelError, TurnFailed: it broke off; `heard` has what the watchers saw.
        Fenced: the turn is no longer ours.
    """
    first = listen(sender, setting, request, heard)
    if heard.said_something or heard.aside:
        return first
    again = second_request(first, request, setting.spec.model, last=hop >= setting.last_hop)
    if again is None:
        return first
    log.info("model is asked again", extra={"stop_reason": first.stop_reason, "model": str(setting.spec)})
    sender.restart("The model gave no answer; it is asked again.")
    second = listen(sender, setting, again, heard)
    return replace(second, usage=first.usage + second.usage)


def second_request(first: Finished, request: ConverseRequest, model: str, *, last: bool) -> ConverseRequest | None:
    """What to ask after an answer that had no words; None where asking again would not help.

    Args:
        first: that answer.
        request: what was asked.
        model: the model's id without its provider.
        last: no more tools run, so that a call is no answer.
    """
    calls = any("toolUse" in block for block in first.content)
    match first.stop_reason:
        case "max_tokens":
            return _with_more_room(request, model)
        case "malformed_tool_use" | "malformed_model_output":
            return request
        case "end_turn" | "stop_sequence":
            return _with_note(request)
        case reason if reason == STOPPED_FOR_TOOLS and (last or not calls):
            return _with_note(request)
    return None


def _with_more_room(request: ConverseRequest, model: str) -> ConverseRequest | None:
    inference: dict[str, Any] = {**request.get("inferenceConfig", {})}
    had = inference.get("maxTokens", 0)
    inference["maxTokens"] = min(had * _MORE, capabilities(model).max_output_tokens)
    if inference["maxTokens"] <= had:
        return None
    return cast("ConverseRequest", {**request, "inferenceConfig": inference})


def _with_note(request: ConverseRequest) -> ConverseRequest:
    *before, last = request["messages"]
    noted: Message = {"role": "user", "content": [*last["content"], {"text": ANSWER_NOW}]}
    return {**request, "messages": [*before, noted]}
