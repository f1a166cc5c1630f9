"""boto3 clients, one a process and service, with time limits that fit a Lambda handler."""

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mypy_boto3_apigatewaymanagementapi import ApiGatewayManagementApiClient
    from mypy_boto3_dynamodb import DynamoDBClient
    from mypy_boto3_lambda import LambdaClient
    from mypy_boto3_s3 import S3Client
    from mypy_boto3_secretsmanager import SecretsManagerClient
    from mypy_boto3_stepfunctions import SFNClient


@cache
def dynamodb() -> "DynamoDBClient":
    """The client of the live table."""
    return _client("dynamodb")  # type: ignore[no-any-return]


@cache
def lambdas() -> "LambdaClient":
    """The client that starts other functions."""
    return _client("lambda")  # type: ignore[no-any-return]


@cache
def state_machines() -> "SFNClient":
    """The client of Step Functions."""
    return _client("stepfunctions")  # type: ignore[no-any-return]


@cache
def secrets() -> "SecretsManagerClient":
    """The client that reads secrets."""
    return _client("secretsmanager")  # type: ignore[no-any-return]


@cache
def s3() -> "S3Client":
    """The client of uploaded objects."""
    return _client("s3")  # type: ignore[no-any-return]


@cache
def hasty_s3() -> "S3Client":
    """The client of objects that somebody waits for: it gives up early."""
    return _client("s3", attempts=2, read_timeout=4)  # type: ignore[no-any-return]


@cache
def connections(url: str) -> "ApiGatewayManagementApiClient":
    """The client that posts to sockets; `url` is the stage's `@connections` address."""
    return _client("apigatewaymanagementapi", endpoint_url=url or None, attempts=1)  # type: ignore[no-any-return]


def _client(service: Any, *, endpoint_url: str | None = None, attempts: int = 3, read_timeout: int = 10) -> Any:
    import boto3
    from botocore.config import Config

    config = Config(
        connect_timeout=2,
        read_timeout=read_timeout,
        retries={"mode": "standard", "total_max_attempts": attempts},
        parameter_validation=False,  # our own calls are typed; botocore's check costs more than signing
        s3={"addressing_style": "virtual"},  # signed addresses then name the bucket's region and need no redirect
    )
    return boto3.client(service, endpoint_url=endpoint_url, config=config)
