"""The calls of an answer, with what became of them."""

from collections.abc import Sequence
from typing import Any

from rolecall.tools.models import ENDED, Call


def with_outputs(stored: Sequence[dict[str, Any]], calls: Sequence[Call]) -> list[dict[str, Any]]:
    """Add to an answer's `toolCalls` the outcomes of those that have ended."""
    ended = {call.tool_call_id: call for call in calls if call.status in ENDED}
    return [entry | _outcome(ended[entry["toolCallId"]]) if entry["toolCallId"] in ended else entry for entry in stored]


def _outcome(call: Call) -> dict[str, Any]:
    return {
        "status": call.status,
        "success": call.succeeded,
        "output": call.shown_output,
        "executionTimeMs": call.execution_time_ms,
    }
