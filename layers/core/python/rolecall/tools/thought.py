"""A value that a tool thinks out: asked for by a call, checked, and mended once."""

from typing import Any, Final, TypeVar, cast

from pydantic import BaseModel

from rolecall.errors import ToolFailed
from rolecall.llm.shapes import Ask, Mismatch, Shape
from rolecall.llm.types import ConverseRequest, Message
from rolecall.tools.models import Thinker

T = TypeVar("T", bound=BaseModel)
ROUNDS: Final = 2
"""The answer, and its repair."""


def thought_out(think: Thinker, shape: type[T], *, system: str, prompt: str, max_tokens: int = 4096) -> T:
    """Ask the reasoning model for a value; the watchers see what it thinks.

    The call is offered and not forced: models that reason refuse to be forced.

    Raises:
        ToolFailed: it gave no such value, not even after it was told what was wrong.
        ModelError: it could not be asked.
    """
    form: Shape[T] = Shape(shape)
    ask = Ask("tool", form.schema)
    tools = {"tools": ask.fields["toolConfig"]["tools"]}
    messages: list[Message] = [{"role": "user", "content": [{"text": prompt}]}]
    for _ in range(ROUNDS):
        request: dict[str, Any] = {
            "system": [{"text": f"{system}\n\n{ask.instructions}"}],
            "messages": messages,
            "inferenceConfig": {"maxTokens": max_tokens},
            "toolConfig": tools,
        }
        finished = think(cast("ConverseRequest", request))
        try:
            return form.read(ask.answer_in(finished))
        except Mismatch as mismatch:
            messages = [*messages, *ask.objection(finished, str(mismatch))]
    raise ToolFailed("The model gave no result in the form that is needed.")
