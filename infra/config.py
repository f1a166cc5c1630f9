"""What a deployment may choose, from the CDK context (`cdk deploy -c stage=prod -c alarmEmail=…`)."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, cast, get_args

from rolecall.settings import Settings

ROOT: Final = Path(__file__).parent.parent
PREFIX: Final = "rolecall-"
"""Of every name in AWS: one deployment an account and region."""

Stage = Literal["dev", "prod"]
_SETTINGS: Final = Settings()


@dataclass(frozen=True, kw_only=True)
class Config:
    """Plain values; the defaults are the cheapest deployment that does everything."""

    stage: Stage = "dev"
    """`prod` keeps its data when a stack is deleted; its database can be restored to a point in time."""
    region: str = _SETTINGS.bedrock_region
    nat: bool = False
    """A NAT gateway, for model providers that are reached by IPv4 only."""
    alarm_email: str | None = None
    upload_origins: tuple[str, ...] = ("http://127.0.0.1:8700",)
    """Pages that may send files to the bucket."""
    gateway_logs: bool = True
    """Let API Gateway write logs. The permission is the account's, so only one stack of an account should own it."""
    max_acu: float = 4
    model: str = _SETTINGS.model
    small_model: str = _SETTINGS.small_model
    thinking_budget: int = _SETTINGS.thinking_budget
    embedding_model: str = _SETTINGS.embedding_model
    model_providers: bool = False
    """Give functions that call models the layer for other houses than Bedrock; keys are stored by the companies."""
    token_jwks_url: str | None = None
    """The issuer's key set. None: tokens are signed with a secret that the stack makes."""
    token_audience: str = _SETTINGS.token_audience
    token_issuer: str = _SETTINGS.token_issuer

    @property
    def keeps_data(self) -> bool:
        """Whether deleting a stack must not delete data."""
        return self.stage == "prod"

    @property
    def log_days(self) -> int:
        """How long logs are kept."""
        return 90 if self.keeps_data else 14

    @classmethod
    def from_context(cls, get: Callable[[str], Any]) -> "Config":
        """Read the context; a value that is not given keeps its default.

        Raises:
            ValueError: the stage is unknown.
        """
        given = {name: get(key) for name, key in _KEYS.items()}
        values = {name: _READERS.get(name, str)(value) for name, value in given.items() if value is not None}
        if (stage := values.get("stage", "dev")) not in get_args(Stage):
            raise ValueError(f"There is no stage {stage!r}; choose one of {', '.join(get_args(Stage))}.")
        return cls(**cast("dict[str, Any]", values))


def _truth(value: object) -> bool:
    return str(value).lower() in {"true", "yes", "1"}


def _list(value: object) -> tuple[str, ...]:
    return tuple(part.strip() for part in str(value).split(",") if part.strip())


_READERS: Final[Mapping[str, Callable[[Any], object]]] = {
    "nat": _truth,
    "gateway_logs": _truth,
    "model_providers": _truth,
    "upload_origins": _list,
    "max_acu": float,
    "thinking_budget": int,
}
_KEYS: Final = {
    "stage": "stage",
    "region": "region",
    "nat": "nat",
    "alarm_email": "alarmEmail",
    "upload_origins": "uploadOrigins",
    "gateway_logs": "gatewayLogs",
    "max_acu": "maxAcu",
    "model": "model",
    "small_model": "smallModel",
    "thinking_budget": "thinkingBudget",
    "embedding_model": "embeddingModel",
    "model_providers": "modelProviders",
    "token_jwks_url": "tokenJwksUrl",
    "token_audience": "tokenAudience",
    "token_issuer": "tokenIssuer",
}
