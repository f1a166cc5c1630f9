"""The sequential mode of a task: the first hop analyses, the next ones work with tools, the last one synthesises.

The plan is kept as reasoning of the analysing hop; later hops find it in the turn's preamble. A hop that asks for no
tools ends the turn, as in any other mode.
"""

from collections.abc import Mapping
from enum import StrEnum
from typing import Any, Final

from rolecall.conversations.models import Message
from rolecall.turns.segments import Segment
from rolecall.turns.setting import Setting

ANALYSIS_HOP: Final = 1


class Step(StrEnum):
    """What a hop of a sequential task does."""

    ANALYSE = "analyse"
    WORK = "work"


NOTES: Final[Mapping[Step, str]] = {
    Step.ANALYSE: (
        "Step: analyse. Do not answer yet, and call no tool: none runs in this step. Say in a few short lines what is"
        " asked, what is known already, and which tools you will use for the rest, in order."
    ),
    Step.WORK: (
        "Step: work. Follow your plan with tools, and depart from it where results ask for that. Once you have what you"
        " need, or no more tools run, put it together in one answer."
    ),
}


def step_of(setting: Setting, hop: int) -> Step | None:
    """What a hop does; None where the task is no sequential one."""
    if not setting.sequential:
        return None
    return Step.ANALYSE if hop == ANALYSIS_HOP else Step.WORK


def blocks(setting: Setting, turn_row: Message, hop: int) -> dict[str, str]:
    """What the preamble of a hop says of the workflow: its step, and the plan once there is one."""
    step = step_of(setting, hop)
    return {"Workflow": NOTES[step], "Plan": plan_of(turn_row)} if step else {}


def plan_of(turn_row: Message) -> str:
    """What the analysing hop said."""
    return "".join(segment["text"] for segment in turn_row.content_segments if segment.get("step") == Step.ANALYSE)


def as_plan(segments: list[Segment]) -> list[Segment]:
    """Make reasoning of what the analysing hop said, since it is no part of the answer."""
    return [_planned(segment) for segment in segments]


def _planned(segment: dict[str, Any]) -> Segment:
    if segment["type"] != "text":
        return segment
    return {"type": "reasoning", "text": segment["text"], "hop": segment["hop"], "step": Step.ANALYSE.value}
