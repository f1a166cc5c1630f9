"""What a deploy does to the database before new code runs: roles, migrations, tool definitions."""

from collections.abc import Mapping
from typing import Any, Final

from aws_cdk import Duration, Stack, triggers
from constructs import Construct

from functions.manifest import Function
from infra.constructs.house_function import HouseFunction, Place
from infra.constructs.reasons import LOGS_POLICY, accept, managed_policy
from infra.constructs.surroundings import Surroundings

DEPLOY: Final = ("migrate", "seed")
"""Functions that a deploy invokes, in this order."""


class Migrations(Stack):
    """Invokes `migrate` and `seed` whenever their code or layers have changed; a failure fails the deploy."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        functions: Mapping[str, Function],
        at: Surroundings,
        place: Place,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, id, **kwargs)
        before: list[Construct] = []
        for name in DEPLOY:
            function = functions[name]
            trigger = triggers.Trigger(
                self,
                f"run-{name}",
                handler=HouseFunction(self, function, at=at, place=place),
                timeout=Duration.seconds(function.timeout_seconds + 30),
                execute_after=before,
            )
            before = [trigger]
        self._accept_provider()

    def _accept_provider(self) -> None:
        provider = self.node.find_child("AWSCDK.TriggerCustomResourceProviderCustomResourceProvider")
        accept(
            provider,
            {
                managed_policy(LOGS_POLICY): "CDK's own function.",
                "L1": "CDK's own function.",
            },
        )
