"""Hears one answer of a model out, and passes it on to the watchers as it comes."""

from dataclasses import dataclass, field

from rolecall.errors import TurnFailed
from rolecall.llm.client import converse_stream
from rolecall.llm.errors import ModelError
from rolecall.llm.stream import Finished, ReasoningDelta, Restarted, StreamEvent, TextDelta, ToolUseStarted
from rolecall.llm.text import is_blank
from rolecall.llm.types import ConverseRequest
from rolecall.turns.pump import EndOfStream, Pump
from rolecall.turns.segments import BETWEEN_HOPS
from rolecall.turns.sender import Sender
from rolecall.turns.setting import Setting

BROKE_OFF = "What was said so far is kept. Ask to go on."


@dataclass(slots=True)
class Heard:
    """What a hop has streamed so far."""

    before: str
    """Text of the turn's earlier hops."""
    text: list[str] = field(default_factory=list)
    saved: bool = False
    """Whether the hop's text is in the turn's row."""
    aside: bool = False
    """Whether what the hop says is no part of the answer: the watchers see it as reasoning."""

    @property
    def whole(self) -> str:
        """The turn's text up to now, as the watchers have it."""
        return self.before + self.streamed

    @property
    def streamed(self) -> str:
        """What this hop has streamed."""
        return "".join(self.text)

    @property
    def unsaved(self) -> str:
        """What of it is not in the turn's row."""
        return "" if self.saved else self.streamed

    @property
    def said_something(self) -> bool:
        """Whether this hop has shown words of an answer."""
        return not is_blank(self.streamed)


def listen(sender: Sender, setting: Setting, request: ConverseRequest, heard: Heard) -> Finished:
    """Stream an answer to the watchers and return the whole of it.

    Raises:
        ModelError, TurnFailed: it broke off; `heard` has what the watchers saw.
        Fenced: the turn is no longer ours.
    """
    stream = converse_stream(setting.spec, request, access=setting.access)
    with Pump(stream) as pump:
        while True:
            try:
                event = pump.get(sender.wait())
            except EndOfStream:
                raise TurnFailed("The model's answer broke off.") from None
            except ModelError as error:
                if heard.said_something:
                    error.recovery_hint = BROKE_OFF
                raise
            if isinstance(event, Finished):
                sender.settle()
                return event
            _pass_on(sender, event, heard)


def _pass_on(sender: Sender, event: StreamEvent | None, heard: Heard) -> None:
    match event:
        case TextDelta(text) if heard.aside:
            sender.reasoning(text)
        case TextDelta(text):
            delta = text if heard.text or not heard.before else BETWEEN_HOPS + text
            heard.text.append(delta)
            sender.text(delta)
        case ReasoningDelta(text):
            sender.reasoning(text)
        case ToolUseStarted():
            sender.flush()
        case Restarted():
            sender.restart("The model's answer broke off; it starts again.")
        case None:
            sender.tick()
