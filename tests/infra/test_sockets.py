"""The WebSocket API: the protocol's routes, one authorizer, limits, and logs without bodies."""

import json

from infra.permissions import resolve
from rolecall.protocol import limits
from rolecall.protocol.requests import ACTIONS
from tests.infra.conftest import Deployment


def test_there_is_a_route_for_each_action_and_three_more(deployed: Deployment) -> None:
    routes = [route["RouteKey"] for route in deployed.all("AWS::ApiGatewayV2::Route")]
    assert sorted(routes) == sorted([*ACTIONS, "$connect", "$disconnect", "$default"])


def test_a_message_is_routed_by_its_action(deployed: Deployment) -> None:
    (api,) = deployed.all("AWS::ApiGatewayV2::Api")
    assert api["ProtocolType"] == "WEBSOCKET"
    assert api["RouteSelectionExpression"] == "$request.body.action"
    assert api["IpAddressType"] == "dualstack"


def test_every_route_goes_to_front_as_a_proxy_within_the_gateways_time(deployed: Deployment) -> None:
    template = deployed.stack("realtime")
    integrations = deployed.all("AWS::ApiGatewayV2::Integration")
    assert integrations
    for integration in integrations:
        assert integration["IntegrationType"] == "AWS_PROXY"
        assert integration["TimeoutInMillis"] == limits.INTEGRATION_SECONDS * 1000
        assert "function:rolecall-front" in resolve(integration["IntegrationUri"], template, {})
    assert deployed.functions()["front"]["Timeout"] < limits.INTEGRATION_SECONDS


def test_answers_of_front_go_back_on_the_socket(deployed: Deployment) -> None:
    routes = {
        name: found["Properties"]
        for name, found in deployed.stack("realtime")["Resources"].items()
        if found["Type"] == "AWS::ApiGatewayV2::Route"
    }
    answered = {answer["RouteId"]["Ref"] for answer in deployed.all("AWS::ApiGatewayV2::RouteResponse")}
    for name, route in routes.items():
        two_way = route["RouteKey"] not in {"$connect", "$disconnect"}
        assert (route.get("RouteResponseSelectionExpression") == "$default") is two_way
        assert (name in answered) is two_way


def test_the_authorizer_is_asked_at_connect_with_whatever_the_caller_brought(deployed: Deployment) -> None:
    (authorizer,) = deployed.all("AWS::ApiGatewayV2::Authorizer")
    assert authorizer["AuthorizerType"] == "REQUEST"
    assert "rolecall-authorize" in resolve(authorizer["AuthorizerUri"], deployed.stack("realtime"), {})
    # A named source must be there, and the token comes in one of two; a kept answer would outlive a token.
    assert not authorizer.get("IdentitySource")
    assert "AuthorizerResultTtlInSeconds" not in authorizer
    kinds = {route["RouteKey"]: route["AuthorizationType"] for route in deployed.all("AWS::ApiGatewayV2::Route")}
    assert kinds.pop("$connect") == "CUSTOM"
    assert set(kinds.values()) == {"NONE"}


def test_the_stage_limits_requests_and_logs_no_body(deployed: Deployment) -> None:
    (stage,) = deployed.all("AWS::ApiGatewayV2::Stage")
    assert stage["AutoDeploy"] is True
    assert stage["DefaultRouteSettings"]["ThrottlingRateLimit"] == 100
    assert not stage["DefaultRouteSettings"].get("DataTraceEnabled")
    logged = json.loads(stage["AccessLogSettings"]["Format"])
    assert {"routeKey", "status", "requestId"} <= logged.keys()
    assert not [value for value in logged.values() if "body" in value.lower() or "principal" in value.lower()]


def test_functions_post_to_the_stage_that_clients_use(deployed: Deployment) -> None:
    (stage,) = deployed.all("AWS::ApiGatewayV2::Stage")
    url = resolve(
        deployed.functions()["turn"]["Environment"]["Variables"]["CONNECTIONS_URL"],
        deployed.stack("realtime"),
        {stage["ApiId"]["Ref"]: "abc"},
    )
    assert url == f"https://abc.execute-api.eu-north-1.amazonaws.com/{stage['StageName']}"
