"""The last gate before a model: a request that breaks the contract is repaired, told of and counted, never refused."""

from typing import Any

from rolecall.llm.repair import repaired
from rolecall.llm.types import ConverseRequest


def legal(request: Any) -> ConverseRequest:
    """Return the request itself if it is legal, else what repair makes of it."""
    mended = repaired(request)
    if mended.rules:
        from rolecall.telemetry import count, log  # lazily: it is slow to import, and a repair is rare

        log.warning("model request repaired", extra={"rules": dict(mended.rules)})
        for rule, times in mended.rules.items():
            count("ModelRequestRepaired", times, rule=rule)
    return mended.request
