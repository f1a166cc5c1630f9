"""What runs by the clock: every function of the manifest with a period gets an EventBridge rule."""

from collections.abc import Iterable
from typing import Any, Final

from aws_cdk import Duration, Stack
from aws_cdk import aws_events as events
from aws_cdk import aws_events_targets as targets
from aws_cdk import aws_sns as sns
from constructs import Construct

from functions.manifest import Function
from infra.config import PREFIX
from infra.constructs.house_function import HouseFunction, Place
from infra.constructs.house_queue import HouseQueue
from infra.constructs.surroundings import Surroundings

MINUTE: Final = 60
FAILED_QUEUE: Final = f"{PREFIX}schedules-failed"


class Schedules(Stack):
    """Rules and their functions; an event that could not be delivered or handled lies in a queue."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        functions: Iterable[Function],
        at: Surroundings,
        place: Place,
        alarms_to: sns.ITopic | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, id, **kwargs)
        failed = HouseQueue(self, FAILED_QUEUE, alarms_to=alarms_to)
        for function in functions:
            target = targets.LambdaFunction(
                HouseFunction(self, function, at=at, place=place, on_failure=failed.dead),
                dead_letter_queue=failed.dead,
                max_event_age=Duration.seconds(max(function.every_seconds or 0, MINUTE)),
                retry_attempts=1,
            )
            events.Rule(
                self,
                f"{function.name}-rule",
                rule_name=f"{PREFIX}{function.name}",
                schedule=events.Schedule.rate(_period(function)),
                targets=[target],
            )


def _period(function: Function) -> Duration:
    seconds = function.every_seconds or 0
    if seconds < MINUTE or seconds % MINUTE:
        raise ValueError(f"{function.name} runs every {seconds} s; EventBridge counts whole minutes.")
    return Duration.minutes(seconds // MINUTE)
