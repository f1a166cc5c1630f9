"""From what the model asked for to calls: which run, and which fail at once with words the model can use."""

from collections.abc import Sequence
from typing import Any, Final

from rolecall.llm.stream import Finished
from rolecall.llm.tool_results import legal_call_id, legal_tool_name
from rolecall.protocol.limits import CALLS_PER_ROUND
from rolecall.text import storable
from rolecall.tools.models import Call, CallStatus, ToolDefinition
from rolecall.turns.material import LAST_HOP, Material
from rolecall.turns.models import TurnRef

STOPPED_FOR_TOOLS: Final = "tool_use"


def calls_of_hop(turn: TurnRef, material: Material, finished: Finished, hop: int) -> list[Call]:
    """The calls of a hop. None unless the model stopped to call tools, and none on the last hop."""
    if finished.stop_reason != STOPPED_FOR_TOOLS or hop >= LAST_HOP:
        return []
    offered = {tool.function_name: tool for tool in material.offered}
    taken = {call.tool_call_id for call in material.calls}
    calls: list[Call] = []
    for block in finished.content:
        if (use := block.get("toolUse")) is None:
            continue
        call_id = _unique(legal_call_id(use["toolUseId"]), taken)
        taken.add(call_id)
        calls.append(_call(turn, hop, len(calls), call_id, use, offered, finished.invalid_calls))
    return calls


def _call(
    turn: TurnRef,
    hop: int,
    position: int,
    call_id: str,
    use: Any,
    offered: dict[str, ToolDefinition],
    invalid: dict[str, str],
) -> Call:
    definition = offered.get(use["name"])
    refusal = _refusal(use, position, definition, offered, invalid)
    return Call(
        turn_id=turn.turn_id,
        tool_call_id=call_id,
        conversation_id=turn.conversation_id,
        hop=hop,
        position=position,
        function_name=legal_tool_name(use["name"]),
        tool_code=definition.tool_code if definition else None,
        tool_type=definition.tool_type if definition else None,
        status=CallStatus.FAILED if refusal else CallStatus.PENDING,
        input=storable(use["input"]),
        output=None,
        error_message=refusal,
        execution_time_ms=0 if refusal else None,
    )


def _refusal(
    use: Any,
    position: int,
    definition: ToolDefinition | None,
    offered: dict[str, ToolDefinition],
    invalid: dict[str, str],
) -> str | None:
    if use["toolUseId"] in invalid:
        return invalid[use["toolUseId"]]
    if definition is None:
        names = ", ".join(sorted(offered)) or "none"
        return f"There is no tool of this name here. The tools are: {names}."
    if position >= CALLS_PER_ROUND:
        return f"Too many calls at once: at most {CALLS_PER_ROUND} run in a round. Call it again in the next one."
    return None


def _unique(call_id: str, taken: set[str]) -> str:
    if call_id not in taken:
        return call_id
    return next(f"{call_id[:60]}-{n}" for n in range(2, 1000) if f"{call_id[:60]}-{n}" not in taken)


def entries(calls: Sequence[Call]) -> list[dict[str, Any]]:
    """Render calls as the `toolCalls` of the turn's row."""
    return [_entry(call) for call in calls]


def _entry(call: Call) -> dict[str, Any]:
    entry: dict[str, Any] = {
        "toolCallId": call.tool_call_id,
        "toolName": call.function_name,
        "toolType": call.tool_type,
        "input": call.input,
        "hop": call.hop,
        "status": call.status,
    }
    if call.status == CallStatus.FAILED:
        entry |= {"success": False, "output": call.error_message, "executionTimeMs": 0}
    return entry
