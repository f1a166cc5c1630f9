"""The WebSocket API: one route an action, all to `front`, whose answers go back on the socket."""

import json
from collections.abc import Iterable
from typing import Final

from aws_cdk import Duration, RemovalPolicy
from aws_cdk import aws_apigateway as apigateway_v1
from aws_cdk import aws_apigatewayv2 as apigateway
from aws_cdk import aws_apigatewayv2_authorizers as authorizers
from aws_cdk import aws_apigatewayv2_integrations as integrations
from aws_cdk import aws_iam as iam
from aws_cdk import aws_lambda as lambda_
from aws_cdk import aws_logs as logs
from constructs import Construct

from infra.constructs.reasons import accept, managed_policy
from rolecall.protocol.limits import INTEGRATION_SECONDS

SELECTION: Final = "$request.body.action"
STAGE: Final = "live"
REQUESTS_PER_SECOND: Final = 100
BURST: Final = 200
GATEWAY_LOGS_POLICY: Final = "service-role/AmazonAPIGatewayPushToCloudWatchLogs"
LOG_FIELDS: Final = {
    "requestId": "$context.requestId",
    "time": "$context.requestTimeEpoch",
    "eventType": "$context.eventType",
    "routeKey": "$context.routeKey",
    "status": "$context.status",
    "connectionId": "$context.connectionId",
    "connectedAt": "$context.connectedAt",
    "integrationLatency": "$context.integrationLatency",
    "integrationError": "$context.integrationErrorMessage",
    "authorizerError": "$context.authorizer.error",
    "error": "$context.error.message",
}
"""What an access log line has: no body, no token, no person."""
_AT_CONNECT: Final = {"APIG4": "A WebSocket is authorised once, at $connect; front checks that the token still holds."}


class SocketApi(Construct):
    """Clients connect to `url`; the API's own address is dual-stack, so functions post over IPv6."""

    def __init__(self, scope: Construct) -> None:
        super().__init__(scope, "api")
        self.api = apigateway.WebSocketApi(
            self,
            "sockets",
            api_name="rolecall",
            route_selection_expression=SELECTION,
            ip_address_type=apigateway.IpAddressType.DUAL_STACK,
        )

    def route(self, actions: Iterable[str], *, front: lambda_.IFunction, authorize: lambda_.IFunction) -> None:
        """Send every route to `front`."""
        authorizer = authorizers.WebSocketLambdaAuthorizer(
            "authorize",
            authorize,
            authorizer_name="authorize",
            # None is named: a caller gives the token in one of two places, and a named one must be there.
            identity_source=[],
        )
        to_front = integrations.WebSocketLambdaIntegration(
            "front", front, timeout=Duration.seconds(INTEGRATION_SECONDS)
        )
        for key in ("$connect", "$disconnect", "$default", *actions):
            route = self.api.add_route(
                key,
                integration=to_front,
                authorizer=authorizer if key == "$connect" else None,
                return_response=key not in {"$connect", "$disconnect"},
            )
            if key != "$connect":
                accept(route, _AT_CONNECT)

    def open(self, *, retention: logs.RetentionDays, logging: bool) -> apigateway.WebSocketStage:
        """Make the stage that clients use."""
        stage = apigateway.WebSocketStage(
            self,
            "stage",
            web_socket_api=self.api,
            stage_name=STAGE,
            auto_deploy=True,
            throttle=apigateway.ThrottleSettings(rate_limit=REQUESTS_PER_SECOND, burst_limit=BURST),
        )
        self._log(stage, retention)
        if logging:
            stage.node.add_dependency(self._may_log())
        return stage

    def _log(self, stage: apigateway.WebSocketStage, retention: logs.RetentionDays) -> None:
        group = logs.LogGroup(self, "access-logs", retention=retention, removal_policy=RemovalPolicy.DESTROY)
        resource = stage.node.default_child
        if isinstance(resource, apigateway.CfnStage):
            resource.access_log_settings = apigateway.CfnStage.AccessLogSettingsProperty(
                destination_arn=group.log_group_arn, format=json.dumps(LOG_FIELDS)
            )

    def _may_log(self) -> apigateway_v1.CfnAccount:
        role = iam.Role(
            self,
            "log-role",
            assumed_by=iam.ServicePrincipal("apigateway.amazonaws.com"),
            managed_policies=[iam.ManagedPolicy.from_aws_managed_policy_name(GATEWAY_LOGS_POLICY)],
        )
        accept(role, {managed_policy(GATEWAY_LOGS_POLICY): "AWS' own for this; the permission is the account's."})
        return apigateway_v1.CfnAccount(self, "log-account", cloud_watch_role_arn=role.role_arn)
