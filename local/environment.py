"""The environment that a function's workers get: what CDK sets in AWS, with local endpoints."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from functions.manifest import LIVE_TABLE, TURN_MACHINE, UPLOADS_BUCKET, Function
from local.lambdas.model import ACCOUNT, REGION, Spec
from local.secrets import load_credential_keys, load_secrets

OFFLINE_MODEL = "bedrock:rolecall.offline-v1"
OFFLINE_SMALL_MODEL = "bedrock:rolecall.offline-small-v1"
OFFLINE_EMBEDDER = "rolecall.offline-embed-v1"
"""Under a name of its own, since chunks record their embedder and its vectors must not be compared with Titan's."""
PREFIX = "rolecall-"
MACHINE_ARN = f"arn:aws:states:{REGION}:{ACCOUNT}:stateMachine:{TURN_MACHINE}"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "local", "AWS_SECRET_ACCESS_KEY": "local"}
"""What the local endpoints are signed with; they check nothing."""

_MACHINE_NAMES = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "PYTHONPATH", "VIRTUAL_ENV", "COVERAGE_PROCESS_START")
_PROXY_NAMES = ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy")
_SETTING_NAMES = (
    "MODEL",
    "SMALL_MODEL",
    "AGENT_LLM_REGION",
    "AGENT_EMBEDDING_MODEL",
    "THINKING_BUDGET",
    "LOG_LEVEL",
    "LIVE_TTL_SECONDS",
)
_KEY_USERS = ("front", "actions", "turn", "afterwards", "tools")
"""Functions that seal or open keys of model providers."""
_PROVIDER_NAMES = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "ANTHROPIC_API_KEY",
    "ANTHROPIC_BASE_URL",
    "GOOGLE_API_KEY",
    "GOOGLE_BASE_URL",
    "OLLAMA_BASE_URL",
    "VLLM_BASE_URL",
)
_PROVIDER_USERS = (*_KEY_USERS, "ingest")
"""Functions that call models; no other gets a key."""
_TOKEN_NAMES = ("TOKEN_JWKS_URL", "TOKEN_AUDIENCE", "TOKEN_ISSUER")


@dataclass(frozen=True, kw_only=True)
class Endpoints:
    """Addresses of what the stack started."""

    aws: str
    """S3, SQS, DynamoDB and Step Functions."""
    lambdas: str
    connections: str
    bedrock: str | None = None
    database_urls: Mapping[str, str] = field(default_factory=dict)
    """Connection string by role."""


def uses_real_bedrock(model: str) -> bool:
    """Say whether a model is one of AWS's, so that the user's own credentials are needed."""
    return model.startswith("bedrock:") and not model.startswith("bedrock:rolecall.")


def _small_beside(model: str) -> str:
    """The small model that goes with a main one: AWS's default, the offline one, or the main one itself."""
    if uses_real_bedrock(model):
        return ""
    return OFFLINE_SMALL_MODEL if model == OFFLINE_MODEL else model


def _models(outer: Mapping[str, str]) -> dict[str, str]:
    model = outer.get("MODEL") or OFFLINE_MODEL
    small = outer.get("SMALL_MODEL") or _small_beside(model)
    embedder = outer.get("AGENT_EMBEDDING_MODEL") or ("" if uses_real_bedrock(model) else OFFLINE_EMBEDDER)
    given = {"MODEL": model, "SMALL_MODEL": small, "AGENT_EMBEDDING_MODEL": embedder}
    return {name: value for name, value in given.items() if value}


def _credentials(outer: Mapping[str, str], model: str) -> dict[str, str]:
    if not uses_real_bedrock(model):
        return dict(CREDENTIALS)
    return {
        name: value
        for name, value in outer.items()
        if name.startswith("AWS_") and not name.startswith("AWS_ENDPOINT_URL")
    }


def _endpoint_variables(endpoints: Endpoints, model: str) -> dict[str, str]:
    services = dict.fromkeys(("S3", "SQS", "DYNAMODB", "SFN"), endpoints.aws)
    services["LAMBDA"] = endpoints.lambdas
    services["APIGATEWAYMANAGEMENTAPI"] = endpoints.connections
    if endpoints.bedrock is not None and not uses_real_bedrock(model):
        services["BEDROCK_RUNTIME"] = endpoints.bedrock
    return {f"AWS_ENDPOINT_URL_{service}": url for service, url in services.items()}


def _picked(outer: Mapping[str, str], names: tuple[str, ...]) -> dict[str, str]:
    return {name: outer[name] for name in names if outer.get(name)}


def function_environment(
    function: Function,
    endpoints: Endpoints,
    *,
    token_secret: str,
    credential_keys: str = "",
    overrides: Mapping[str, str],
    outer: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Build the whole environment of one function's workers. `outer` is the environment of the stack itself."""
    outer = os.environ if outer is None else outer
    models = _models(outer)
    env = {
        **_picked(outer, _MACHINE_NAMES),
        **_picked(outer, _PROXY_NAMES),
        "NO_PROXY": ",".join(filter(None, ("127.0.0.1,localhost", outer.get("NO_PROXY", "")))),
        **_credentials(outer, models["MODEL"]),
        "AWS_REGION": REGION,
        "AWS_DEFAULT_REGION": REGION,
        "AWS_LAMBDA_FUNCTION_NAME": f"{PREFIX}{function.name}",
        "AWS_SDK_UA_APP_ID": f"{PREFIX}{function.name}",
        "AWS_LAMBDA_FUNCTION_VERSION": "$LATEST",
        "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": str(function.memory_mb),
        "AWS_LAMBDA_LOG_GROUP_NAME": f"/aws/lambda/{PREFIX}{function.name}",
        "AWS_LAMBDA_INITIALIZATION_TYPE": "on-demand",
        "_HANDLER": function.handler,
        "POWERTOOLS_TRACE_DISABLED": "true",
        "PYTHONUNBUFFERED": "1",
        "TZ": "UTC",
        **_endpoint_variables(endpoints, models["MODEL"]),
        "LIVE_TABLE": LIVE_TABLE,
        "UPLOADS_BUCKET": UPLOADS_BUCKET,
        "TURN_MACHINE_ARN": MACHINE_ARN,
        "CONNECTIONS_URL": endpoints.connections,
        **_picked(outer, _SETTING_NAMES),
        **models,
    }
    if function.name == "authorize":
        env |= {**_picked(outer, _TOKEN_NAMES), "TOKEN_SECRET": token_secret}
    if function.name in _PROVIDER_USERS:
        env |= _picked(outer, _PROVIDER_NAMES)
    if function.name in _KEY_USERS:
        env |= {
            "CREDENTIAL_KEYS": outer.get("CREDENTIAL_KEYS") or credential_keys,
            "ALLOW_PRIVATE_MODEL_URLS": outer.get("ALLOW_PRIVATE_MODEL_URLS") or "true",
        }
    if function.database_role in endpoints.database_urls:
        env["DATABASE_URL"] = endpoints.database_urls[function.database_role]
    return {**env, **overrides}


def function_spec(function: Function, endpoints: Endpoints, *, data: Path, overrides: Mapping[str, str]) -> Spec:
    """Turn a function of the manifest into what its workers are started with."""
    name = f"{PREFIX}{function.name}"
    secret = load_secrets(data).token_secret
    return Spec(
        name=name,
        handler=function.handler,
        timeout_seconds=function.timeout_seconds,
        memory_mb=function.memory_mb,
        env=function_environment(
            function,
            endpoints,
            token_secret=secret,
            credential_keys=load_credential_keys(data),
            overrides=overrides,
        ),
        log_path=data / "logs" / f"{name}.log",
        max_retries=function.max_retries,
        max_event_age_seconds=function.max_event_age_seconds,
        on_failure_queue=function.on_failure_queue,
    )
