"""What Bedrock refuses in a Converse request, checked before it is sent (and by the local endpoint, as Bedrock does).

Wordings and limits: the Converse API reference, botocore's service model, and what the service was seen to answer.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final

from rolecall.llm.contract import (
    blocks,
    caching,
    conversation,
    documents,
    parameters,
    reasoning,
    shape,
    size,
    tools,
)
from rolecall.llm.contract.reading import Reading
from rolecall.llm.contract.violation import Violation

__all__ = ["Violation", "check"]

_RULES: Final[tuple[Callable[[Reading], Iterator[Violation]], ...]] = (
    conversation.check,
    blocks.check,
    tools.check,
    documents.check,
    reasoning.check,
    caching.check,
    parameters.check,
    size.check,
)


def check(request: Mapping[str, Any]) -> list[Violation]:
    """Return everything that Bedrock would refuse in a request; empty when it is legal.

    Args:
        request: a Converse body (without the model's id); images and documents as bytes, not base64. One that has
            not even the shape of a request is told about its shape alone.
    """
    if misshapen := list(shape.check(request)):
        return misshapen
    reading = Reading.of(request)
    return [violation for rule in _RULES for violation in rule(reading)]
