"""Gets a hop's answer: asks with a request that fits, and once more where the provider finds it too long after all."""

from dataclasses import replace
from typing import Final

from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.stream import Finished
from rolecall.telemetry import log
from rolecall.turns.ask import ask
from rolecall.turns.guardrails import Build, Fitted, fitted
from rolecall.turns.listen import Heard
from rolecall.turns.material import Material
from rolecall.turns.models import Runtime
from rolecall.turns.sender import Sender

WINDOW_EXCEEDED: Final = "model_context_window_exceeded"


def answered(
    runtime: Runtime, sender: Sender, material: Material, build: Build, heard: Heard, hop: int
) -> tuple[Fitted, Finished]:
    """Return the request that was answered, and the answer.

    Raises:
        ModelError, TurnFailed: there is none; `heard` has what the watchers saw.
        Fenced: the turn is no longer ours.
    """
    fit = fitted(runtime, sender, material, build)
    first: Finished | None = None
    try:
        first = ask(sender, material.setting, fit.request, heard, hop)
    except ModelError as error:
        if error.kind is not ModelErrorKind.TOO_LONG or heard.said_something:
            raise
    if first is not None and (first.stop_reason != WINDOW_EXCEEDED or heard.said_something):
        return fit, first
    log.warning("model found the request too long", extra={"tokens": fit.tokens, "model": str(material.setting.spec)})
    smaller = fitted(runtime, sender, fit.material, build, refused=True)
    if first is not None:
        sender.restart("The conversation was too long; the answer starts again.")
    second = ask(sender, material.setting, smaller.request, heard, hop)
    return smaller, replace(second, usage=first.usage + second.usage) if first else second
