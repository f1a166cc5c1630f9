"""Least privilege: what each role may do, and what none may."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from functions.manifest import FUNCTIONS, LIVE_TABLE
from infra.permissions import ACCOUNT, REGION, allows, exports, statements
from tests.infra.conftest import Deployment

TABLE = f"arn:aws:dynamodb:{REGION}:{ACCOUNT}:table/{LIVE_TABLE}"
MACHINE = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:rolecall-turn"
EXECUTION = f"arn:aws:states:{REGION}:{ACCOUNT}:execution:rolecall-turn:0190-1"
SOCKET = f"arn:aws:execute-api:{REGION}:{ACCOUNT}:api/live/POST/@connections/abc="
UPLOAD = f"arn:aws:s3:::rolecall-uploads-{ACCOUNT}-{REGION}/company/file.pdf"
ATTACHED = f"arn:aws:s3:::rolecall-uploads-{ACCOUNT}-{REGION}/attachments/company/person/id/file.pdf"
SONNET = f"arn:aws:bedrock:{REGION}:{ACCOUNT}:inference-profile/eu.anthropic.claude-sonnet-4-6"
BEHIND = "arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-sonnet-4-6"
TITAN = f"arn:aws:bedrock:{REGION}::foundation-model/amazon.titan-embed-text-v2:0"

STREAM = "bedrock:InvokeModelWithResponseStream"
WITHOUT_RESOURCES = {
    "xray:PutTraceSegments": "traces belong to nothing",
    "xray:PutTelemetryRecords": "traces belong to nothing",
    "xray:GetSamplingRules": "rules are the account's",
    "xray:GetSamplingTargets": "rules are the account's",
    "ec2:AssignPrivateIpAddresses": "interfaces that Lambda will make",
    "ec2:CreateNetworkInterface": "interfaces that Lambda will make",
    "ec2:DeleteNetworkInterface": "interfaces that Lambda will make",
    "ec2:DescribeNetworkInterfaces": "lists have no resource",
    "ec2:DescribeSubnets": "lists have no resource",
    "ec2:UnassignPrivateIpAddresses": "interfaces that Lambda will make",
    "logs:CreateLogDelivery": "deliveries have no resource",
    "logs:GetLogDelivery": "deliveries have no resource",
    "logs:UpdateLogDelivery": "deliveries have no resource",
    "logs:DeleteLogDelivery": "deliveries have no resource",
    "logs:ListLogDeliveries": "deliveries have no resource",
    "logs:PutResourcePolicy": "deliveries have no resource",
    "logs:DescribeResourcePolicies": "deliveries have no resource",
    "logs:DescribeLogGroups": "lists have no resource",
}
"""Actions that IAM cannot limit to a resource, or whose resource is not there yet."""


def names(deployed: Deployment) -> dict[str, str]:
    (stage,) = deployed.all("AWS::ApiGatewayV2::Stage")
    return exports(*deployed.templates.values(), names={stage["ApiId"]["Ref"]: "api"})


def may(deployed: Deployment, function: str, action: str, resource: str) -> bool:
    template = deployed.template_of(function)
    return allows(template, f"rolecall-{function}", action, resource, names=names(deployed))


def identity_statements(deployed: Deployment) -> Iterator[dict[str, Any]]:
    """Statements of roles; those of resources (queues, buckets, keys) are about the resource itself."""
    for role in deployed.all("AWS::IAM::Role"):
        for policy in role.get("Policies", []):
            yield from policy["PolicyDocument"]["Statement"]
    for policy in deployed.all("AWS::IAM::Policy"):
        yield from policy["PolicyDocument"]["Statement"]


def several(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


def test_no_role_has_an_action_with_a_wildcard(deployed: Deployment, varied: Deployment) -> None:
    for statement in (*identity_statements(deployed), *identity_statements(varied)):
        assert not [action for action in several(statement["Action"]) if "*" in action]


def test_every_resource_is_named_unless_it_cannot_be(deployed: Deployment, varied: Deployment) -> None:
    for statement in (*identity_statements(deployed), *identity_statements(varied)):
        if "*" in several(statement["Resource"]) and statement["Effect"] == "Allow":
            assert set(several(statement["Action"])) <= WITHOUT_RESOURCES.keys()


@pytest.mark.parametrize(
    ("function", "action", "resource"),
    [
        ("front", "dynamodb:PutItem", TABLE),
        ("front", "lambda:InvokeFunction", f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:rolecall-turn"),
        ("front", "lambda:InvokeFunction", f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:rolecall-actions"),
        ("actions", "states:StopExecution", EXECUTION),
        ("turn", "states:StartExecution", MACHINE),
        ("turn", "dynamodb:UpdateItem", TABLE),
        ("turn", "execute-api:ManageConnections", SOCKET),
        ("turn", STREAM, SONNET),
        ("turn", STREAM, BEHIND),
        ("turn", "sqs:SendMessage", f"arn:aws:sqs:{REGION}:{ACCOUNT}:rolecall-turn-failed"),
        ("turn-failed", "sqs:ReceiveMessage", f"arn:aws:sqs:{REGION}:{ACCOUNT}:rolecall-turn-failed"),
        ("tools", "execute-api:ManageConnections", SOCKET),
        ("ingest", "s3:GetObject", UPLOAD),
        ("ingest", "bedrock:InvokeModel", TITAN),
        ("ingest", "dynamodb:Query", TABLE),
        ("ingest-failed", "execute-api:ManageConnections", SOCKET),
        ("turn", "bedrock:InvokeModel", TITAN),
        ("tools", "bedrock:InvokeModel", TITAN),
        ("actions", "s3:PutObject", UPLOAD),
        ("actions", "s3:GetObject", ATTACHED),
        ("turn", "s3:GetObject", ATTACHED),
        ("actions", "s3:DeleteObject", UPLOAD),
        ("ingest", "sqs:DeleteMessage", f"arn:aws:sqs:{REGION}:{ACCOUNT}:rolecall-uploads"),
        ("turn", "logs:PutLogEvents", f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/aws/lambda/rolecall-turn:*"),
    ],
)
def test_a_function_may_do_its_work(deployed: Deployment, function: str, action: str, resource: str) -> None:
    assert may(deployed, function, action, resource)


RESOURCES = {
    "table": TABLE,
    "machine": MACHINE,
    "execution": EXECUTION,
    "socket": SOCKET,
    "object": UPLOAD,
    "attachment": ATTACHED,
}
RECORDED = [tuple(call) for call in json.loads(Path(__file__).with_name("calls.json").read_text())]
"""(function, action, kind of resource): what functions were seen to call; tests/functional keeps it whole."""


def arn_of(action: str, kind: str) -> str:
    if kind == "model":
        return SONNET if action == STREAM else TITAN
    return RESOURCES.get(kind) or f"arn:aws:lambda:{REGION}:{ACCOUNT}:{kind}"


@pytest.mark.parametrize(("function", "action", "kind"), RECORDED, ids="-".join)
def test_what_the_functional_tests_saw_a_function_call_its_role_allows(
    deployed: Deployment, function: str, action: str, kind: str
) -> None:
    assert may(deployed, function, action, arn_of(action, kind))


@pytest.mark.parametrize(
    ("function", "action", "resource"),
    [
        ("front", "dynamodb:Query", TABLE),
        ("front", "lambda:InvokeFunction", f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:rolecall-migrate"),
        ("front", STREAM, SONNET),
        ("front", "execute-api:ManageConnections", SOCKET),
        ("authorize", "dynamodb:GetItem", TABLE),
        ("authorize", "lambda:InvokeFunction", f"arn:aws:lambda:{REGION}:{ACCOUNT}:function:rolecall-turn"),
        ("actions", "states:StartExecution", MACHINE),
        ("actions", STREAM, SONNET),
        ("turn", "states:StopExecution", EXECUTION),
        ("turn", STREAM, "arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-sonnet-4-6"),
        ("turn", STREAM, "arn:aws:bedrock:eu-central-1::foundation-model/anthropic.claude-opus-4-6"),
        ("turn", "s3:GetObject", UPLOAD),
        ("turn", "dynamodb:Scan", TABLE),
        ("turn", "dynamodb:DeleteTable", TABLE),
        ("tools", "states:StartExecution", MACHINE),
        ("ingest", "s3:PutObject", UPLOAD),
        ("ingest", "dynamodb:UpdateItem", TABLE),
        ("ingest-failed", "s3:GetObject", UPLOAD),
        ("actions", "s3:GetObject", UPLOAD),
        ("ingest", "states:StartExecution", MACHINE),
        ("turn", "ec2:CreateNetworkInterface", "*"),
        ("turn", "logs:PutLogEvents", f"arn:aws:logs:{REGION}:{ACCOUNT}:log-group:/aws/lambda/rolecall-front:*"),
    ],
)
def test_a_function_may_do_no_more(deployed: Deployment, function: str, action: str, resource: str) -> None:
    assert not may(deployed, function, action, resource)


def test_each_secret_has_its_readers_and_no_function_reads_two(deployed: Deployment) -> None:
    readers: dict[str, list[str]] = {}
    for function in FUNCTIONS:
        found = statements(deployed.template_of(function.name), f"rolecall-{function.name}", names=names(deployed))
        secrets = [s["Resource"] for s in found if "secretsmanager:GetSecretValue" in s["Action"]]
        if secrets:
            readers[function.name] = secrets[0]
    key_users = {"front", "actions", "turn", "afterwards", "tools"}
    assert readers.keys() == {"authorize", "migrate"} | key_users
    assert all("credentialkeys" in readers[name][0] for name in key_users)
    assert "tokensecret" in readers["authorize"][0]
    assert "database" in readers["migrate"][0]
    assert all(len(secrets) == 1 for secrets in readers.values())


def test_a_key_set_leaves_the_authorizer_no_secret(varied: Deployment) -> None:
    authorize = varied.functions()["authorize"]
    assert "TOKEN_SECRET_ARN" not in authorize["Environment"]["Variables"]
    assert authorize["Environment"]["Variables"]["TOKEN_JWKS_URL"] == "https://issuer/k"
    found = statements(varied.template_of("authorize"), "rolecall-authorize", names=names(varied))
    assert not [statement for statement in found if "secretsmanager:GetSecretValue" in statement["Action"]]


def test_a_database_token_is_for_the_functions_own_role(deployed: Deployment) -> None:
    for function in FUNCTIONS:
        found = statements(deployed.template_of(function.name), f"rolecall-{function.name}", names=names(deployed))
        users = [arn.rpartition("/")[2] for s in found if "rds-db:connect" in s["Action"] for arn in s["Resource"]]
        wanted = function.database_role not in {None, "owner"}
        assert users == ([f"rolecall_{function.database_role}"] if wanted else [])
