"""One answer in one piece, for side calls: titles, summaries, routing. Bounded in tries and in time."""

import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass, field

from rolecall.llm.access import Access
from rolecall.llm.client import backoff, converse_stream, last
from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.specs import ModelSpec
from rolecall.llm.stream import Usage
from rolecall.llm.text import is_blank
from rolecall.llm.types import ConverseRequest, Message


@dataclass(frozen=True, slots=True)
class Completion:
    """What the model said, and what it cost."""

    text: str
    usage: Usage = field(default_factory=Usage)


def complete_text(
    spec: ModelSpec,
    *,
    system: str,
    prompt: str | Sequence[Message],
    max_tokens: int,
    access: Access,
    read_timeout: float = 20,
    seconds: float = 30,
    attempts: int = 2,
) -> Completion:
    """Ask a model for a text and wait for all of it.

    Nobody has seen anything of it, so a stream that breaks half-way is asked for again as well.

    Args:
        spec: the model; the caller has resolved it.
        system: the instructions.
        prompt: what the user says, or a whole conversation.
        max_tokens: most tokens of the answer; one that reaches them is returned as far as it got.
        access: how the provider is reached.
        read_timeout: seconds without a byte after which an attempt fails.
        seconds: time for all attempts together; one that is silent may exceed it by `read_timeout`.
        attempts: tries in all.

    Raises:
        ModelError: no answer, or a blank one.
    """
    messages: list[Message] = (
        [{"role": "user", "content": [{"text": prompt}]}] if isinstance(prompt, str) else [*prompt]
    )
    request: ConverseRequest = {
        "system": [{"text": system}],
        "messages": messages,
        "inferenceConfig": {"maxTokens": max_tokens},
    }
    deadline = time.monotonic() + seconds
    for attempt in range(1, attempts + 1):
        try:
            return _ask(spec, request, access, read_timeout, deadline)
        except ModelError as error:
            wait = backoff(attempt)
            if not error.retryable or attempt == attempts or time.monotonic() + wait >= deadline:
                raise
        threading.Event().wait(wait)
    raise ValueError("attempts must be at least 1")


def _ask(spec: ModelSpec, request: ConverseRequest, access: Access, read_timeout: float, deadline: float) -> Completion:
    stream = converse_stream(spec, request, access=access, read_timeout=read_timeout, attempts=1)
    alarm = threading.Timer(max(0.0, deadline - time.monotonic()), stream.close)
    alarm.start()
    try:
        finished = last(stream)
    finally:
        alarm.cancel()
        alarm.join()
    if finished is None:
        raise ModelError(ModelErrorKind.TIMEOUT)
    text = "".join(block["text"] for block in finished.content if "text" in block).strip()
    if is_blank(text):
        raise ModelError(ModelErrorKind.UNKNOWN, message="The model gave no answer.")
    return Completion(text, finished.usage)
