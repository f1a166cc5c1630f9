"""From what the model asked for to calls: which run, and which fail at once with words the model can use."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from rolecall.llm.stream import Finished
from rolecall.llm.tool_results import legal_call_id, legal_tool_name, unique_call_id
from rolecall.llm.types import ToolUseBlock
from rolecall.protocol.limits import CALLS_PER_ROUND
from rolecall.text import storable
from rolecall.tools.models import Call, CallStatus, ToolDefinition
from rolecall.turns.material import Material
from rolecall.turns.models import TurnRef
from rolecall.turns.repeats import repeated

STOPPED_FOR_TOOLS: Final = "tool_use"


def calls_of_hop(turn: TurnRef, material: Material, finished: Finished, hop: int) -> list[Call]:
    """The calls of a hop. None unless the model stopped to call tools, and none on the last hop."""
    if finished.stop_reason != STOPPED_FOR_TOOLS or hop >= material.setting.last_hop:
        return []
    taken = {call.tool_call_id for call in material.calls}
    calls: list[Call] = []
    for block in finished.content:
        if use := block.get("toolUse"):
            call_id = unique_call_id(legal_call_id(use["toolUseId"]), taken)
            taken.add(call_id)
            place = _Place(turn, material, hop, calls)
            calls.append(place.call(call_id, use, finished.invalid_calls.get(use["toolUseId"])))
    return calls


@dataclass(frozen=True, slots=True)
class _Place:
    """Where in a turn a call stands."""

    turn: TurnRef
    material: Material
    hop: int
    before: list[Call]
    """The calls of the same hop that stand before it."""

    @property
    def position(self) -> int:
        """Its number within the hop."""
        return len(self.before)

    def call(self, call_id: str, use: ToolUseBlock, invalid: str | None) -> Call:
        offered = {tool.function_name: tool for tool in self.material.offered}
        tool = offered.get(use["name"])
        refusal = invalid or self._refusal(tool, offered) or self._repetition(use)
        return Call(
            turn_id=self.turn.turn_id,
            tool_call_id=call_id,
            conversation_id=self.turn.conversation_id,
            agent_id=self.material.setting.agent.id,
            hop=self.hop,
            position=self.position,
            function_name=legal_tool_name(use["name"]),
            tool_code=tool.tool_code if tool else None,
            tool_type=tool.tool_type if tool else None,
            status=CallStatus.FAILED if refusal else CallStatus.PENDING,
            input=storable(use["input"]),
            output=None,
            error_message=refusal,
            execution_time_ms=0 if refusal else None,
        )

    def _refusal(self, tool: ToolDefinition | None, offered: Iterable[str]) -> str | None:
        if tool is None:
            names = ", ".join(sorted(offered)) or "none"
            return f"There is no tool of this name here. The tools are: {names}."
        if self.position >= CALLS_PER_ROUND:
            return f"At most {CALLS_PER_ROUND} calls run in a round; call this one again in the next."
        return None

    def _repetition(self, use: ToolUseBlock) -> str | None:
        made = [*self.material.calls, *self.before]
        writing = {tool.function_name for tool in self.material.offered if tool.requires_write}
        return repeated(use["name"], use["input"], hop=self.hop, made=made, writing=writing)


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
