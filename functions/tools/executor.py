"""Runs one tool call of a turn: a Map item of the state machine."""

from functools import cache
from typing import Any

from functions.tools.catalogue import CATALOGUE
from rolecall.settings import settings
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.runtime import build_runtime
from rolecall.turns.tool_call import run_tool_call


@cache
def _runtime() -> Runtime:
    return build_runtime(settings())


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Run the call; arguments and outcome are rows, the state gets only how it went."""
    turn = TurnRef.from_plain(event["turn"])
    return {"status": run_tool_call(_runtime(), CATALOGUE, turn, event["toolCallId"])}
