"""Values out of a model: asked for by a forced tool call, JSON mode or in words, checked, and mended once.

Nothing is stored. Reasoning is off, since models refuse it beside a forced call.
"""

from collections.abc import Sequence
from typing import Any, Final, TypeVar, cast

from rolecall.llm.access import Access
from rolecall.llm.client import converse_once
from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.shapes import Ask, Mismatch, Shape, way_for
from rolecall.llm.specs import ModelSpec
from rolecall.llm.types import ConverseRequest, Message
from rolecall.telemetry import log

T = TypeVar("T")

SYSTEM: Final = "You take information out of what you are given and answer in the form that is asked for."
VERIFY: Final = (
    "Before you answer, check every value against what you were given. Do not invent any, and give no placeholder such"
    ' as "N/A" that does not stand there; what is missing is left out, or null where it may be.'
)
ROUNDS: Final = 2
"""The answer, and its repair."""


class NoValue(ModelError):
    """The model gave no value of the shape, not even after it was told what was wrong."""

    def __init__(self, why: str) -> None:
        super().__init__(ModelErrorKind.VALIDATION, message="The model gave no answer in the form that was asked for.")
        self.why = why


def structured(spec: ModelSpec, shape: type[T], **asked: Any) -> T | None:
    """Ask a model for a value; None where it gives none, which the log says without a word of what was asked.

    Takes what `structured_or_raise` takes.
    """
    try:
        return structured_or_raise(spec, shape, **asked)
    except ModelError as error:
        log.warning("no structured value", extra={"model": str(spec), "shape": _name(shape), "kind": error.kind})
        return None


def structured_or_raise(
    spec: ModelSpec,
    shape: type[T],
    *,
    prompt: str | Sequence[Message],
    access: Access,
    system: str = SYSTEM,
    extra_context: str | None = None,
    verify: str | None = VERIFY,
    max_tokens: int = 4096,
    temperature: float | None = 0.0,
    read_timeout: float = 60,
    attempts: int = 2,
) -> T:
    """Ask a model for a value.

    Args:
        spec: the model.
        shape: str, int, float, bool, list[…] of them or of models, or a pydantic model.
        prompt: what is asked, or a whole conversation.
        access: how the provider is reached.
        system: the instructions, in place of the usual ones.
        extra_context: more that the model should know, for this call.
        verify: what it has to check before it answers; None leaves that out.
        max_tokens: most tokens of an answer.
        temperature: None leaves it to the model.
        read_timeout: seconds without a byte after which a call fails.
        attempts: tries of each call against a provider that is busy.

    Raises:
        NoValue: it gave no such value, not even in its second answer.
        ModelError: it could not be asked.
    """
    form: Shape[T] = Shape(shape)
    ask = Ask(way_for(spec), form.schema)
    layers = [system, extra_context and f"<context>\n{extra_context}\n</context>", verify, ask.instructions]
    messages = [*_messages(prompt)]
    why = ""
    for _ in range(ROUNDS):
        request = _request([layer for layer in layers if layer], messages, max_tokens, temperature)
        request = cast("ConverseRequest", {**request, **ask.fields})
        finished = converse_once(spec, request, access=access, read_timeout=read_timeout, attempts=attempts)
        try:
            return form.read(ask.answer_in(finished))
        except Mismatch as mismatch:
            why = str(mismatch)
            messages = [*messages, *ask.objection(finished, why)]
    raise NoValue(why)


def _request(layers: list[str], messages: list[Message], max_tokens: int, temperature: float | None) -> ConverseRequest:
    request: ConverseRequest = {
        "system": [{"text": "\n\n".join(layers)}],
        "messages": messages,
        "inferenceConfig": {"maxTokens": max_tokens},
    }
    if temperature is not None:
        request["inferenceConfig"]["temperature"] = temperature
    return request


def _messages(prompt: str | Sequence[Message]) -> Sequence[Message]:
    return [{"role": "user", "content": [{"text": prompt}]}] if isinstance(prompt, str) else prompt


def _name(shape: Any) -> str:
    return str(getattr(shape, "__name__", shape))
