"""Step Functions: moto's interpreter, with its Lambda tasks sent to the local Lambda endpoint."""

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any

import boto3
import moto
from botocore.config import Config

from local.lambdas.model import ACCOUNT, REGION

if TYPE_CHECKING:
    from mypy_boto3_stepfunctions import SFNClient

_PLACEHOLDER = re.compile(r"\$\{(\w+)\}")


def run_tasks_on(lambda_url: str) -> None:
    """Switch moto's interpreter on, and have it invoke functions at `lambda_url`.

    Outside `mock_aws` moto would send the tasks to itself, with a new client for each; `mock_aws` would
    patch every AWS client of this process.
    """
    with _without_batch():
        from moto.core.config import default_user_config
        from moto.stepfunctions.parser.asl.component.state.exec.state_task import lambda_eval_utils

    client = boto3.client(
        "lambda",
        endpoint_url=lambda_url,
        region_name=REGION,
        aws_access_key_id="local",
        aws_secret_access_key="local",
        config=Config(
            retries={"total_max_attempts": 1},
            read_timeout=3600,
            max_pool_connections=100,
            parameter_validation=False,
            proxies={},
        ),
    )

    def client_for(service: str, **_: Any) -> Any:
        if service != "lambda":
            raise RuntimeError(f"A state machine calls {service}, which is not wired up locally.")
        return client

    default_user_config["stepfunctions"] = {"execute_state_machine": True}
    vars(lambda_eval_utils)["boto_client_for"] = client_for


@contextmanager
def _without_batch() -> Iterator[None]:
    """Import moto's interpreter without AWS Batch, which brings all of EC2: 1.5 s of the start for one helper."""
    if "moto.batch" in sys.modules:
        yield
        return
    empty = sys.modules["moto.batch"] = ModuleType("moto.batch")
    empty.__path__ = [str(Path(moto.__file__).parent / "batch")]
    try:
        importlib.import_module("moto.stepfunctions.parser.models")
        yield
    finally:
        del sys.modules["moto.batch"]


def create_machine(client: "SFNClient", name: str, definition: str, names: dict[str, str]) -> None:
    """Create a state machine from its file, `names` filled in for its `${…}`.

    Raises:
        KeyError: the definition has a placeholder that `names` lacks.
    """
    client.create_state_machine(
        name=name,
        definition=_PLACEHOLDER.sub(lambda match: names[match[1]], definition),
        roleArn=f"arn:aws:iam::{ACCOUNT}:role/{name}",
    )
