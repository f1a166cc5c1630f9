"""One stack of throw-away functions for the tests of the local AWS."""

import json

import boto3
import pytest
from botocore.config import Config

from functions.manifest import Function
from local.gateway.server import Gateway
from local.lambdas.model import REGION
from local.stack import Stack
from tests.fakes import handlers
from tests.fakes.lambdas import FakeLambda


def a_function(name, handler, *, timeout_seconds=10, **more):
    return Function(name=name, handler=f"tests.fakes.handlers.{handler}", timeout_seconds=timeout_seconds, **more)


@pytest.fixture(scope="package")
def probe_log(tmp_path_factory):
    """File into which the functions write what they got."""
    return tmp_path_factory.mktemp("probe") / "log.jsonl"


@pytest.fixture(scope="package")
def stack(tmp_path_factory, probe_log):
    functions = [
        a_function("authorize", "allow"),
        a_function("front", "front"),
        a_function("echo", "echo", max_retries=0),
        a_function("tools", "obey"),
        a_function("turn", "obey", on_failure_queue="rolecall-turn-failed", max_retries=0),
        a_function("turn-failed", "obey"),
        a_function("retried", "obey", on_failure_queue="rolecall-actions-failed", max_retries=1),
        a_function("short-lived", "obey", on_failure_queue="rolecall-actions-failed", max_event_age_seconds=0),
        a_function("hasty", "obey", timeout_seconds=1),
        a_function("missing", "nowhere"),
        a_function("batch", "batch", reads_queue="rolecall-uploads"),
        a_function("tick", "note", every_seconds=1),
    ]
    env = {"*": {"PROBE_LOG": str(probe_log)}, "echo": {"PROBE_ONE": "1"}}
    with Stack(
        tmp_path_factory.mktemp("stack"), port=0, functions=functions, env=env, postgres=False, bedrock=False
    ) as running:
        yield running


@pytest.fixture(scope="package")
def lambda_client(stack):
    client = boto3.client(
        "lambda",
        endpoint_url=stack.lambdas.url,
        region_name=REGION,
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(retries={"total_max_attempts": 1}, read_timeout=20),
    )
    yield client
    client.close()


@pytest.fixture
def noted(probe_log):
    """Return the records that functions wrote down and that a test recognises."""

    def read(recognise):
        lines = probe_log.read_text().splitlines() if probe_log.exists() else []
        return [record for record in map(json.loads, lines) if recognise(record)]

    return read


class Clock:
    """Time that only a test moves."""

    def __init__(self):
        self.now = 1_800_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def clock():
    return Clock()


@pytest.fixture
def lambdas():
    fake = FakeLambda(authorize=handlers.allow, front=handlers.front)
    yield fake
    fake.stop()


@pytest.fixture
def gateway(lambdas, clock):
    gateway = Gateway(0, lambdas, clock=clock, integration_seconds=1)
    gateway.bind()
    gateway.open()
    yield gateway
    gateway.stop()


@pytest.fixture
def api(gateway):
    client = boto3.client(
        "apigatewaymanagementapi",
        endpoint_url=gateway.management_url,
        region_name=REGION,
        aws_access_key_id="local",
        aws_secret_access_key="local",
    )
    yield client
    client.close()
