"""Keeps a hop's request within the model's window: cut outputs, fold older turns, and stop when nothing more is safe.

The instructions, what the user says now and what this turn did are never folded; only outputs of tools are cut.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from rolecall.errors import ErrorCode, TurnFailed
from rolecall.llm.estimate import request_tokens
from rolecall.llm.types import ConverseRequest
from rolecall.protocol.events import ChatProcessing
from rolecall.telemetry import log
from rolecall.turns.clipping import Clip
from rolecall.turns.compaction import compacted, parted
from rolecall.turns.material import Material
from rolecall.turns.models import Runtime
from rolecall.turns.sender import Sender

THRESHOLD: Final = 0.85
"""Part of the room that a request may take before something is done; an estimate is no count."""
REFUSED: Final = 1.3
"""A request that the provider finds too long counts as so much more than the room."""
TOO_LONG: Final = "The conversation is too long for the model, though all that could be left out was."
COMPACTING: Final = ChatProcessing(status="compacting", message="Older messages are being summarized.")
Build = Callable[[Material, Clip], ConverseRequest]


@dataclass(frozen=True, slots=True)
class Step:
    """One way to make a request smaller: how far outputs are cut, and what part of the room earlier turns keep."""

    clip: Clip
    keep: float | None = None
    """None: all earlier turns stay."""


STEPS: Final = (
    Step(Clip(past=2_000)),
    Step(Clip(past=2_000), keep=0.4),
    Step(Clip(past=1_000, now=10_000), keep=0.25),
    Step(Clip(past=500, now=2_000), keep=0.0),
)


@dataclass(frozen=True, slots=True)
class Fitted:
    """A request, what it was made of, its tokens by the estimate, and those as the provider is likely to count them."""

    request: ConverseRequest
    material: Material
    estimated: int
    tokens: int

    @property
    def room(self) -> int:
        """Tokens that it may have beside the answer that it asks for; a third of the window at least."""
        window = self.material.setting.context_tokens
        answer = self.request.get("inferenceConfig", {}).get("maxTokens", 0)
        return max(window - answer, window // 3)

    @property
    def fits(self) -> bool:
        """Whether it leaves room for what the estimate may be wrong by."""
        return self.tokens <= THRESHOLD * self.room


def fitted(runtime: Runtime, sender: Sender, material: Material, build: Build, *, refused: bool = False) -> Fitted:
    """Build a hop's request so that it fits.

    Args:
        runtime: the stores.
        sender: tells the watchers that older turns are being folded.
        material: what the hop works with.
        build: makes the request of a material.
        refused: the provider has found the request too long, whatever was estimated.

    Raises:
        TurnFailed: CONTEXT_EXHAUSTED, nothing more can be left out.
    """
    scale = material.scale
    fit = _weighed(build, material, Clip(), scale)
    if refused:
        scale *= max(1.0, REFUSED * fit.room / max(1, fit.tokens))
    elif fit.fits:
        return fit
    for step in STEPS:
        if step.keep is not None:
            material = _folded(runtime, sender, material, int(step.keep * fit.room / scale))
        fit = _weighed(build, material, step.clip, scale)
        if fit.fits:
            return fit
    if fit.tokens > fit.room:
        log.warning("context exhausted", extra={"turn_id": str(sender.turn.turn_id), "tokens": fit.tokens})
        raise TurnFailed(TOO_LONG, code=ErrorCode.CONTEXT_EXHAUSTED)
    return fit


def _weighed(build: Build, material: Material, clip: Clip, scale: float) -> Fitted:
    request = build(material, clip)
    estimated = request_tokens(request)
    return Fitted(request, material, estimated, round(estimated * scale))


def _folded(runtime: Runtime, sender: Sender, material: Material, keep_tokens: int) -> Material:
    if not parted(material.past_rows, keep_tokens)[0]:
        return material
    sender.emit(COMPACTING)
    return compacted(runtime, sender.turn, material, keep_tokens)
