"""One model hop: stream it to the watchers, then store what it said and what it asks for.

A hop is done once: its segments in the turn's row are its receipt. Asked for again (a retry of the state machine),
it answers with what it did.
"""

from dataclasses import dataclass, replace

from rolecall.llm.stream import Finished
from rolecall.llm.types import ConverseRequest
from rolecall.protocol.events import ChatToolCall, ChatToolResult
from rolecall.telemetry import log
from rolecall.tools.models import Call, CallStatus
from rolecall.turns.answering import answered
from rolecall.turns.book import Told
from rolecall.turns.books import book_of
from rolecall.turns.calls import calls_of_hop, entries
from rolecall.turns.clipping import Clip
from rolecall.turns.files import attach
from rolecall.turns.listen import Heard
from rolecall.turns.log import Fenced
from rolecall.turns.material import Material
from rolecall.turns.models import HopOutcome, Runtime, TurnRef
from rolecall.turns.outcome import Ending, ending_of
from rolecall.turns.request import build_request
from rolecall.turns.segments import Segment, content_of, segments_of
from rolecall.turns.sender import Sender
from rolecall.turns.workflow import Step, as_plan, step_of


@dataclass(frozen=True, slots=True)
class Hopped:
    """How a hop ended: it goes on with tools, or the turn ends in `ending`."""

    outcome: HopOutcome
    ending: Ending | None = None


def done_before(turn: TurnRef, material: Material, hop: int) -> Hopped | None:
    """What this hop did, if it was done already."""
    if not any(segment.get("hop") == hop for segment in material.turn_row.content_segments):
        return None
    calls = tuple(call.tool_call_id for call in material.calls if call.hop == hop)
    if calls:
        return Hopped(HopOutcome("tools", hop, _to_run(material.calls, hop)))
    log.info("hop was done before", extra={"turn_id": str(turn.turn_id), "hop": hop})
    return Hopped(HopOutcome("done", hop), Ending(material.turn_row.stop_reason or "end_turn"))


def run_hop(runtime: Runtime, sender: Sender, material: Material, hop: int, heard: Heard) -> Hopped:
    """Stream one hop and store it.

    Raises:
        ModelError, TurnFailed: the turn cannot go on; `heard` has what the watchers saw.
        Fenced: the turn is no longer ours.
    """
    turn = sender.turn
    heard.aside = step_of(material.setting, hop) is Step.ANALYSE

    def build(material: Material, clip: Clip) -> ConverseRequest:
        return attach(runtime, turn.caller, material, build_request(turn.caller, material, hop, clip))

    fit, finished = answered(runtime, sender, material, build, heard, hop)
    calls = [] if heard.aside else calls_of_hop(turn, material, finished, hop)
    said = segments_of(finished, hop, calls, model=str(material.setting.spec))
    told = _told(material, finished, as_plan(said) if heard.aside else said, calls)
    _save(runtime, turn, replace(told, estimated=fit.estimated))
    heard.saved = True
    if heard.aside:
        return Hopped(HopOutcome("analysed", hop))
    ending = None if calls else ending_of(finished, heard)
    _announce(sender, calls)
    outcome = HopOutcome("tools", hop, _to_run(calls, hop)) if calls else HopOutcome("done", hop)
    return Hopped(outcome, ending)


def _told(material: Material, finished: Finished, said: list[Segment], calls: list[Call]) -> Told:
    segments = [*material.turn_row.content_segments, *said]
    return Told(
        content=content_of(segments),
        segments=segments,
        tool_calls=[*material.turn_row.tool_calls, *entries(calls)],
        usage=finished.usage,
        stop_reason=finished.stop_reason,
        calls=calls,
    )


def _save(runtime: Runtime, turn: TurnRef, told: Told) -> None:
    with runtime.db.transaction(turn.caller) as conn:
        if not book_of(runtime, turn).save_hop(conn, told):
            raise Fenced


def _announce(sender: Sender, calls: list[Call]) -> None:
    for call in calls:
        sender.emit(
            ChatToolCall(
                tool_call_id=call.tool_call_id,
                tool_name=call.function_name,
                tool_type=call.tool_type or "UNKNOWN",
                input_data=call.input,
            )
        )
        if call.status == CallStatus.FAILED:
            sender.emit(result_event(call))
    sender.settle()


def result_event(call: Call) -> ChatToolResult:
    """The event that tells how a call ended."""
    return ChatToolResult(
        tool_call_id=call.tool_call_id,
        output=call.shown_output,
        success=call.succeeded,
        execution_time_ms=call.execution_time_ms or 0,
    )


def _to_run(calls: list[Call], hop: int) -> tuple[str, ...]:
    return tuple(call.tool_call_id for call in calls if call.hop == hop and call.status == CallStatus.PENDING)
