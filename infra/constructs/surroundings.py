"""Names and ARNs of what functions work with, as plain values."""

from dataclasses import dataclass
from typing import Final

from aws_cdk import Aws

from functions.manifest import TURN_MACHINE
from infra.config import Config

UPLOADS_QUEUE: Final = "rolecall-uploads"


@dataclass(frozen=True, kw_only=True)
class Surroundings:
    """What the stacks before made. Names are fixed, so ARNs need no reference and no stack waits for another."""

    config: Config
    table_name: str
    bucket_name: str
    database_host: str
    database_id: str
    """The cluster's resource id, as IAM names it."""
    token_secret_arn: str
    credential_keys_arn: str
    master_secret_arn: str
    api_id: str = ""
    """Of the WebSocket API; none in the stacks before it."""
    api_stage: str = ""

    def arn(self, service: str, rest: str) -> str:
        """An ARN in this account and region."""
        return f"arn:{Aws.PARTITION}:{service}:{self.config.region}:{Aws.ACCOUNT_ID}:{rest}"

    def function_arn(self, name: str) -> str:
        """A function by its deployed name."""
        return self.arn("lambda", f"function:{name}")

    @property
    def table_arn(self) -> str:
        """The live table."""
        return self.arn("dynamodb", f"table/{self.table_name}")

    @property
    def bucket_arn(self) -> str:
        """The uploads bucket."""
        return f"arn:{Aws.PARTITION}:s3:::{self.bucket_name}"

    @property
    def machine_arn(self) -> str:
        """The state machine of the tool loop."""
        return self.arn("states", f"stateMachine:{TURN_MACHINE}")

    @property
    def executions_arn(self) -> str:
        """Every execution of it; they are named by turns."""
        return self.arn("states", f"execution:{TURN_MACHINE}:*")

    @property
    def connections_arn(self) -> str:
        """Posting to any socket of the API."""
        return self.arn("execute-api", f"{self.api_id}/{self.api_stage}/POST/@connections/*")

    @property
    def connections_url(self) -> str:
        """Where sockets are posted to."""
        return f"https://{self.api_id}.execute-api.{self.config.region}.{Aws.URL_SUFFIX}/{self.api_stage}"

    def database_user_arn(self, user: str) -> str:
        """A database user that logs in by token."""
        return self.arn("rds-db", f"dbuser:{self.database_id}/{user}")

    def model_arns(self, *specs: str) -> list[str]:
        """Bedrock's models among the specs: an inference profile with the model behind it, or the model alone."""
        return sorted({arn for spec in specs for arn in self._model_arns(spec)})

    def _model_arns(self, spec: str) -> list[str]:
        provider, _, model = spec.partition(":")
        if provider != "bedrock":
            return []
        geography, _, behind = model.partition(".")
        if geography not in {"eu", "us", "apac", "global"}:
            return [f"arn:{Aws.PARTITION}:bedrock:{self.config.region}::foundation-model/{model}"]
        regions = "*" if geography == "global" else f"{geography.removesuffix('ac')}-*"
        return [
            self.arn("bedrock", f"inference-profile/{model}"),
            f"arn:{Aws.PARTITION}:bedrock:{regions}::foundation-model/{behind}",
        ]
