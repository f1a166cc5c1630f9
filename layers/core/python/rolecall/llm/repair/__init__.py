"""A request that breaks the contract, made legal: nothing that people or the assistant said is lost.

A pair that is broken is mended with the result that stands elsewhere, or with a synthetic one; what cannot be sent
(a sixth document, an unreadable file) leaves a line of text in its place; a conversation without a question gets
visible words of its own. A legal request comes back as the same object. Equal requests are repaired alike, and what
is given is never changed.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from rolecall.llm.contract import check
from rolecall.llm.contract.shape import RULES as SHAPE_RULES
from rolecall.llm.repair import blocks, caching, files, order, pairing, parameters, shape, size, tools
from rolecall.llm.types import ConverseRequest

__all__ = ["Repaired", "repaired"]


@dataclass(frozen=True, slots=True)
class Repaired:
    """A legal request, and what was wrong with the one it was made of."""

    request: ConverseRequest
    rules: Counter[str]
    """How often each rule was broken; empty for a request that was legal."""


def repaired(request: Any) -> Repaired:
    """Make a request legal.

    Args:
        request: a Converse body, or whatever damage has left of one.
    """
    broken = check(request)
    if not broken:
        return Repaired(request, Counter())
    rules = Counter(violation.rule for violation in broken)
    if rules.keys() & SHAPE_RULES:
        request = shape.shaped(request)
        rules += Counter(violation.rule for violation in check(request))
    return Repaired(cast("ConverseRequest", _legal(request)), rules)


def _legal(request: Mapping[str, Any]) -> dict[str, Any]:
    body = parameters.legal(request)
    messages = blocks.legal(body["messages"], thinks=parameters.thinks(body))
    messages = pairing.paired(order.alternating(messages))
    messages = order.framed(order.alternating(messages))
    body, messages = parameters.settled(body, messages)
    body["messages"] = tools.named(files.bounded(messages))
    body = size.bounded(tools.declared(blocks.legal_system(body)))
    return caching.bounded(body)
