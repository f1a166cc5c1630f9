"""The conversation: WebSocket API, its functions, and the state machine of the tool loop."""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from aws_cdk import CfnOutput, Stack
from aws_cdk import aws_sns as sns
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from functions.manifest import Function
from infra.constructs.house_function import HouseFunction, Place, log_retention
from infra.constructs.socket_api import STAGE, SocketApi
from infra.constructs.surroundings import Surroundings
from infra.constructs.turn_machine import TurnMachine
from rolecall.protocol.requests import ACTIONS


class Realtime(Stack):
    """Everything between a client's socket and the model."""

    def __init__(
        self,
        scope: Construct,
        id: str,
        *,
        functions: Iterable[Function],
        at: Surroundings,
        place: Place,
        queues: Mapping[str, sqs.IQueue],
        alarms_to: sns.ITopic | None,
        **kwargs: Any,
    ) -> None:
        super().__init__(scope, id, **kwargs)
        retention = log_retention(at.config.log_days)
        sockets = SocketApi(self)
        here = replace(at, api_id=sockets.api.api_id, api_stage=STAGE)
        self.surroundings = replace(here, api_id=self.export_value(sockets.api.api_id))
        made = {
            function.name: HouseFunction(
                self,
                function,
                at=here,
                place=place,
                on_failure=queues[function.on_failure_queue] if function.on_failure_queue else None,
                reads=queues[function.reads_queue] if function.reads_queue else None,
            )
            for function in functions
        }
        sockets.route(ACTIONS, front=made["front"], authorize=made["authorize"])
        stage = sockets.open(retention=retention, logging=at.config.gateway_logs)
        TurnMachine(
            self,
            turn=made["turn"],
            tools=made["tools"],
            turn_failed=made["turn-failed"],
            retention=retention,
            alarms_to=alarms_to,
        )
        CfnOutput(self, "SocketUrl", value=stage.url)
