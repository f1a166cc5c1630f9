"""A Lambda function as this house builds them, from its line in the manifest."""

from dataclasses import dataclass
from typing import Final

from aws_cdk import Duration, RemovalPolicy, Stack
from aws_cdk import aws_ec2 as ec2
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_lambda_destinations as destinations
from aws_cdk import aws_lambda_event_sources as sources
from aws_cdk import aws_logs as logs
from aws_cdk import aws_sqs as sqs
from constructs import Construct

from functions.manifest import Function
from infra.config import PREFIX, Config
from infra.constructs.code import ARCHITECTURE, RUNTIME, functions_code, layer
from infra.constructs.grants import Grant, grants_of, talks_to_models
from infra.constructs.reasons import EVERYTHING, accept, wildcard
from infra.constructs.surroundings import Surroundings

_INTERFACES: Final = [
    "ec2:AssignPrivateIpAddresses",
    "ec2:CreateNetworkInterface",
    "ec2:DeleteNetworkInterface",
    "ec2:DescribeNetworkInterfaces",
    "ec2:DescribeSubnets",
    "ec2:UnassignPrivateIpAddresses",
]


@dataclass(frozen=True, kw_only=True)
class Place:
    """Where functions that open Postgres live."""

    vpc: ec2.IVpc
    subnets: ec2.SubnetSelection
    security_group: ec2.ISecurityGroup


def log_retention(days: int) -> logs.RetentionDays:
    """CDK's name for a number of days."""
    return {14: logs.RetentionDays.TWO_WEEKS, 90: logs.RetentionDays.THREE_MONTHS}[days]


class HouseFunction(lambda_.Function):
    """arm64, its own log group and role, traces, layers by name, in the VPC only if it has a database role."""

    def __init__(
        self,
        scope: Construct,
        function: Function,
        *,
        at: Surroundings,
        place: Place,
        on_failure: sqs.IQueue | None = None,
        reads: sqs.IQueue | None = None,
    ) -> None:
        name = f"{PREFIX}{function.name}"
        grants = grants_of(function, at)
        log_group = logs.LogGroup(
            scope,
            f"{function.name}-logs",
            log_group_name=f"/aws/lambda/{name}",
            retention=log_retention(at.config.log_days),
            removal_policy=RemovalPolicy.DESTROY,
        )
        inside = function.database_role is not None
        super().__init__(
            scope,
            function.name,
            function_name=name,
            description=f"Rolecall: {function.name}",
            runtime=RUNTIME,
            architecture=ARCHITECTURE,
            handler=function.handler,
            code=functions_code(),
            layers=[layer(Stack.of(scope), wanted) for wanted in layers_of(function, at.config)],
            timeout=Duration.seconds(function.timeout_seconds),
            memory_size=function.memory_mb,
            environment=environment(at, grants, inside=inside),
            role=_role(scope, function, grants=grants, log_group=log_group, arn=at.function_arn(name), inside=inside),
            log_group=log_group,
            logging_format=lambda_.LoggingFormat.JSON,
            tracing=lambda_.Tracing.ACTIVE,
            retry_attempts=function.max_retries,
            max_event_age=Duration.seconds(function.max_event_age_seconds),
            on_failure=destinations.SqsDestination(on_failure) if on_failure else None,
            reserved_concurrent_executions=function.reserved.get(at.config.stage),
            vpc=place.vpc if inside else None,
            vpc_subnets=place.subnets if inside else None,
            security_groups=[place.security_group] if inside else None,
            ipv6_allowed_for_dual_stack=True if inside else None,
        )
        if reads:
            batch = sources.SqsEventSource(reads, batch_size=function.batch_size, report_batch_item_failures=True)
            self.add_event_source(batch)
        accept(self, {"L1": "The vendor layers hold wheels for this very Python; it moves with them."})


def layers_of(function: Function, config: Config) -> tuple[str, ...]:
    """The layers of a function; models of other houses than Bedrock need one that is not on every cold path."""
    providers = ("providers",) if config.model_providers and talks_to_models(function) else ()
    return ("core", *function.layers, *providers)


def environment(at: Surroundings, grants: list[Grant], *, inside: bool) -> dict[str, str]:
    """Variables of a function: what its grants are about, and what every function has."""
    env = {"POWERTOOLS_SERVICE_NAME": "rolecall", "POWERTOOLS_METRICS_NAMESPACE": "Rolecall", "LOG_LEVEL": "INFO"}
    for grant in grants:
        env |= grant.env
    if inside:
        # Its plain name has IPv4 addresses only, and there is no IPv4 way out of the VPC.
        env["AWS_ENDPOINT_URL_SFN"] = f"https://states.{at.config.region}.api.aws"
    return env


def _role(
    scope: Construct, function: Function, *, grants: list[Grant], log_group: logs.ILogGroup, arn: str, inside: bool
) -> iam.Role:
    write_logs = iam.PolicyStatement(
        actions=["logs:CreateLogStream", "logs:PutLogEvents"], resources=[log_group.log_group_arn]
    )
    work = [statement for grant in grants for statement in grant.statements]
    role = iam.Role(
        scope,
        f"{function.name}-role",
        assumed_by=iam.ServicePrincipal("lambda.amazonaws.com"),
        inline_policies={
            "work": iam.PolicyDocument(statements=[write_logs, *work, *(_interfaces(arn) if inside else ())])
        },
    )
    _say_why(role, grants)
    return role


def _say_why(role: iam.Role, grants: list[Grant]) -> None:
    why = "X-Ray has no resources to name; Lambda attaches network interfaces that are not there yet."
    reasons = {EVERYTHING: why}
    for grant in grants:
        for arn in (arn for statement in grant.statements for arn in statement.resources if "*" in arn):
            reasons[wildcard(role, arn)] = grant.wide
    accept(role, reasons)


def _interfaces(arn: str) -> tuple[iam.PolicyStatement, ...]:
    """Lambda itself attaches the function to the VPC with its role; the function's code must not use that."""
    return (
        iam.PolicyStatement(actions=_INTERFACES, resources=["*"]),
        iam.PolicyStatement(
            effect=iam.Effect.DENY,
            actions=_INTERFACES,
            resources=["*"],
            conditions={"ArnEquals": {"lambda:SourceFunctionArn": arn}},
        ),
    )
