"""Findings of cdk-nag that stay, each with its reason beside the resource."""

from collections.abc import Mapping
from typing import Any, Final

from aws_cdk import Acknowledgment, Stack, Validations
from constructs import IConstruct

EVERYTHING: Final = "IAM5[Resource::*]"
LOGS_POLICY: Final = "service-role/AWSLambdaBasicExecutionRole"


def accept(resource: IConstruct, reasons: Mapping[str, str]) -> None:
    """Accept findings of the AwsSolutions rules; keys are `RULE` or `RULE[finding]`."""
    Validations.of(resource).acknowledge(
        *(Acknowledgment(id=f"AwsSolutions::AwsSolutions-{rule}", reason=why) for rule, why in reasons.items())
    )


def wildcard(resource: IConstruct, arn: str) -> str:
    """Name the finding about a wildcard in a policy's resource."""
    return f"IAM5[Resource::{_flat(Stack.of(resource).resolve(arn))}]"


def managed_policy(name: str) -> str:
    """Name the finding about one of AWS' own policies."""
    return f"IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/{name}]"


def _flat(value: Any) -> str:
    """Render a resolved token as cdk-nag does."""
    match value:
        case {"Fn::Join": [str(between), list(parts)]}:
            return between.join(_flat(part) for part in parts)
        case {"Ref": str(name)}:
            return f"<{name}>"
        case {"Fn::ImportValue": str(name)}:
            return name
        case {"Fn::GetAtt": [str(name), str(attribute)]}:
            return f"<{name}.{attribute}>"
    return str(value)
