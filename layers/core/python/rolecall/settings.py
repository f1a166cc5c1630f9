"""The environment, read once by an entry point into one model. Nothing else reads it."""

import os
from collections.abc import Mapping
from functools import cache
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, SecretStr


class TokenSettings(BaseModel):
    """How callers' tokens are checked: a shared secret (HS256), or the issuer's key set."""

    model_config = ConfigDict(frozen=True)

    secret: SecretStr = SecretStr("")
    jwks_url: str | None = None
    audience: str = "rolecall"
    issuer: str = "rolecall"


class Settings(BaseModel):
    """Every setting. A field's alias is its environment variable; docs are generated from this."""

    model_config = ConfigDict(frozen=True, populate_by_name=True)

    # Postgres
    database_url: Annotated[SecretStr, Field(alias="DATABASE_URL")] = SecretStr("")
    """Connection string of the role that the function runs as. On RDS it has no password: an IAM token is signed."""
    database_admin_secret_arn: Annotated[str, Field(alias="DATABASE_ADMIN_SECRET_ARN")] = ""
    """Secret of the database's master user, for the function that prepares a new database."""

    # Names of what the stack made
    live_table: Annotated[str, Field(alias="LIVE_TABLE")] = "rolecall-live"
    """Name of the DynamoDB table of leases, event logs and connections."""
    uploads_bucket: Annotated[str, Field(alias="UPLOADS_BUCKET")] = "rolecall-uploads"
    """Name of the bucket that uploads go to."""
    turn_function: Annotated[str, Field(alias="TURN_FUNCTION")] = "rolecall-turn"
    """Name of the function that runs a model hop."""
    actions_function: Annotated[str, Field(alias="ACTIONS_FUNCTION")] = "rolecall-actions"
    """Name of the function that answers everything but messages."""
    afterwards_function: Annotated[str, Field(alias="AFTERWARDS_FUNCTION")] = "rolecall-afterwards"
    """Name of the function that summarizes and names a conversation after a turn."""
    turn_machine_arn: Annotated[str, Field(alias="TURN_MACHINE_ARN")] = ""
    """ARN of the state machine that runs a turn's tools."""
    connections_url: Annotated[str, Field(alias="CONNECTIONS_URL")] = ""
    """Address of the `@connections` API."""

    # Tokens
    token_secret: Annotated[SecretStr, Field(alias="TOKEN_SECRET")] = SecretStr("")
    """Shared secret that signs tokens (HS256); unused where a key set is named."""
    token_secret_arn: Annotated[str, Field(alias="TOKEN_SECRET_ARN")] = ""
    """Where the token secret is kept, if it is not given itself."""
    token_jwks_url: Annotated[str | None, Field(alias="TOKEN_JWKS_URL")] = None
    """Address of the token issuer's key set (RS256, ES256)."""
    token_audience: Annotated[str, Field(alias="TOKEN_AUDIENCE")] = "rolecall"
    """The `aud` that a token must have."""
    token_issuer: Annotated[str, Field(alias="TOKEN_ISSUER")] = "rolecall"
    """The `iss` that a token must have."""

    # Models
    model: Annotated[str, Field(alias="MODEL")] = "bedrock:eu.anthropic.claude-sonnet-4-6"
    """The main model, `provider:model`."""
    small_model: Annotated[str, Field(alias="SMALL_MODEL")] = "bedrock:eu.anthropic.claude-haiku-4-5-20251001-v1:0"
    """The model for titles, summaries and routing."""
    thinking_budget: Annotated[int, Field(alias="THINKING_BUDGET", ge=0, le=100_000)] = 2048
    """Tokens that a model may think before it answers, where it reasons; 0 switches reasoning off."""
    bedrock_region: Annotated[str, Field(alias="AGENT_LLM_REGION")] = "eu-north-1"
    """Region of the models."""
    embedding_model: Annotated[str, Field(alias="AGENT_EMBEDDING_MODEL")] = "amazon.titan-embed-text-v2:0"
    """The model that turns text into vectors."""

    # Keys of model providers that companies and people store
    credential_keys: Annotated[SecretStr, Field(alias="CREDENTIAL_KEYS")] = SecretStr("")
    """Master keys that seal them, `v2:material,v1:material`, at least 32 characters each: the first seals, all open."""
    credential_keys_secret_arn: Annotated[str, Field(alias="CREDENTIAL_KEYS_SECRET_ARN")] = ""
    """Where the master keys are kept, if they are not given themselves; looked at anew every minute."""
    allow_private_model_urls: Annotated[bool, Field(alias="ALLOW_PRIVATE_MODEL_URLS")] = False
    """Let the address that comes with a key be `http` or in a private network: for one's own machine, never in AWS."""

    # Models of other houses, where no key is stored for who asks
    openai_api_key: Annotated[SecretStr, Field(alias="OPENAI_API_KEY")] = SecretStr("")
    """Key of OpenAI, for models named `openai:…`."""
    openai_base_url: Annotated[str | None, Field(alias="OPENAI_BASE_URL")] = None
    """Address of another server that speaks OpenAI's API."""
    anthropic_api_key: Annotated[SecretStr, Field(alias="ANTHROPIC_API_KEY")] = SecretStr("")
    """Key of Anthropic, for models named `anthropic:…`."""
    anthropic_base_url: Annotated[str | None, Field(alias="ANTHROPIC_BASE_URL")] = None
    """Address of another server that speaks Anthropic's API."""
    google_api_key: Annotated[SecretStr, Field(alias="GOOGLE_API_KEY")] = SecretStr("")
    """Key of Google's Gemini API, for models named `google:…`."""
    google_base_url: Annotated[str | None, Field(alias="GOOGLE_BASE_URL")] = None
    """Address of another server that speaks Google's API."""
    ollama_base_url: Annotated[str | None, Field(alias="OLLAMA_BASE_URL")] = None
    """Where Ollama is, if not on this machine (`ollama:…`)."""
    vllm_base_url: Annotated[str | None, Field(alias="VLLM_BASE_URL")] = None
    """Where vLLM is, if not on this machine (`vllm:…`)."""

    # Behaviour
    log_level: Annotated[str, Field(alias="LOG_LEVEL")] = "INFO"
    """Lowest level that is logged."""
    live_ttl_seconds: Annotated[int, Field(alias="LIVE_TTL_SECONDS")] = 24 * 60 * 60
    """How long a finished turn's events stay in the live table."""
    unstored_ttl_seconds: Annotated[int, Field(alias="UNSTORED_TTL_SECONDS", ge=60 * 60)] = 60 * 60
    """How long what is not stored stays in the live table after its last turn; an hour at least, as a turn may take."""

    @property
    def tokens(self) -> TokenSettings:
        """What checks a caller's token."""
        return TokenSettings(
            secret=self.token_secret,
            jwks_url=self.token_jwks_url,
            audience=self.token_audience,
            issuer=self.token_issuer,
        )

    @classmethod
    def from_env(cls, env: Mapping[str, str]) -> "Settings":
        """Build from an environment; an empty variable counts as not set."""
        return cls.model_validate({name: value for name, value in env.items() if value != ""})


@cache
def settings() -> Settings:
    """The process's settings; entry points call this and pass values on."""
    return Settings.from_env(os.environ)
