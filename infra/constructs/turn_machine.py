"""The state machine of the tool loop, from the very file that runs locally."""

from typing import Final

from aws_cdk import RemovalPolicy
from aws_cdk import aws_cloudwatch as cloudwatch
from aws_cdk import aws_cloudwatch_actions as actions
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sns as sns
from aws_cdk import aws_stepfunctions as stepfunctions
from constructs import Construct

from functions.manifest import TURN_MACHINE
from infra.config import ROOT
from infra.constructs.reasons import EVERYTHING, accept

DEFINITION: Final = ROOT / "functions" / "chat" / "turn.asl.json"


class TurnMachine(stepfunctions.StateMachine):
    """Logs errors without states, and traces."""

    def __init__(
        self,
        scope: Construct,
        *,
        turn: lambda_.IFunction,
        tools: lambda_.IFunction,
        turn_failed: lambda_.IFunction,
        retention: logs.RetentionDays,
        alarms_to: sns.ITopic | None,
    ) -> None:
        called = {"TurnFunction": turn, "ToolsFunction": tools, "TurnFailedFunction": turn_failed}
        super().__init__(
            scope,
            "turn-machine",
            state_machine_name=TURN_MACHINE,
            definition_body=stepfunctions.DefinitionBody.from_string(DEFINITION.read_text()),
            definition_substitutions={name: function.function_arn for name, function in called.items()},
            logs=stepfunctions.LogOptions(
                level=stepfunctions.LogLevel.ERROR,
                include_execution_data=False,
                destination=logs.LogGroup(
                    scope,
                    "turn-machine-logs",
                    log_group_name=f"/aws/vendedlogs/states/{TURN_MACHINE}",
                    retention=retention,
                    removal_policy=RemovalPolicy.DESTROY,
                ),
            ),
            tracing_enabled=True,
        )
        arns = [function.function_arn for function in called.values()]
        # Not grant_invoke, which adds every version and alias.
        self.add_to_role_policy(iam.PolicyStatement(actions=["lambda:InvokeFunction"], resources=arns))
        self._alarm(alarms_to)
        accept(
            self,
            {
                "SF1": "Errors are logged; every transition of every turn would cost more and tell nothing new.",
                EVERYTHING: "X-Ray and log delivery have no resources to name.",
            },
        )

    def _alarm(self, alarms_to: sns.ITopic | None) -> None:
        alarm = self.metric_failed().create_alarm(
            self,
            "failed",
            alarm_name=TURN_MACHINE,
            alarm_description="A turn's tool loop failed: see the runbook.",
            threshold=1,
            evaluation_periods=1,
            comparison_operator=cloudwatch.ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
            treat_missing_data=cloudwatch.TreatMissingData.NOT_BREACHING,
        )
        if alarms_to:
            alarm.add_alarm_action(actions.SnsAction(alarms_to))
