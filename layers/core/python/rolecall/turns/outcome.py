"""Every way a model stops, as an ending that the user understands."""

from dataclasses import dataclass
from typing import Final

from rolecall.errors import ErrorCode, TurnFailed
from rolecall.llm.stream import Finished
from rolecall.llm.text import is_blank
from rolecall.turns.listen import Heard

NOTICES: Final = {
    "max_tokens": "The answer was cut at its length limit. Ask to go on, or raise the agent's limit.",
    "guardrail_intervened": "A guardrail stopped the answer.",
    "content_filtered": "A content filter stopped the answer.",
    "tool_use": "The answer stopped because no more tools run in this turn. Send a message to go on.",
    "malformed_tool_use": "The model tried to use a tool in a way that cannot be read.",
    "malformed_model_output": "The model's answer could not be read to its end.",
    "nothing_added": "The model said no more after its tools had answered. Ask to go on.",
    "call_dropped": "The model began to use a tool and did not ask for it to run, so it did not.",
}
NO_ANSWER_HINT: Final = "Put the message in other words and send it again, or choose another model."
WHOLE: Final = frozenset({"end_turn", "stop_sequence"})


@dataclass(frozen=True, slots=True)
class Ending:
    """How a turn ends well: the model's stop reason (or one of ours), and a notice where the answer is not whole."""

    stop_reason: str

    @property
    def notice(self) -> str | None:
        """Words for the user; none where the answer is whole."""
        if self.stop_reason in WHOLE:
            return None
        return NOTICES.get(self.stop_reason, "The answer may not be whole.")


def ending_of(finished: Finished, heard: Heard) -> Ending:
    """Judge a hop that asked for no tools.

    Raises:
        TurnFailed: where there is nothing to show, or the conversation is too long for the model.
    """
    ending = Ending(finished.stop_reason)
    if finished.stop_reason == "model_context_window_exceeded":
        raise TurnFailed("The conversation is too long for the model.", code=ErrorCode.CONTEXT_EXHAUSTED)
    if is_blank(heard.whole):
        raise TurnFailed(ending.notice or "The model gave no answer.", hint=NO_ANSWER_HINT)
    if ending.notice is None and finished.invalid_calls:
        return Ending("call_dropped")
    if ending.notice is None and not heard.said_something:
        return Ending("nothing_added")
    return ending
