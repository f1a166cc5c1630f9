"""Who may do what, as one list. What a function may use it is also told of, by the variable beside the statement."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final

from aws_cdk import aws_iam as iam

from functions.manifest import Function
from infra.config import PREFIX
from infra.constructs.surroundings import Surroundings
from rolecall.conversations.attachments.keys import PREFIX as ATTACHMENTS
from rolecall.db.bootstrap import DATABASE, role_name
from rolecall.llm.offers import bedrock_ids
from rolecall.llm.specs import parse_spec

Statements = tuple[iam.PolicyStatement, ...]


@dataclass(frozen=True, kw_only=True)
class Grant:
    """Environment variables, and what they are good for."""

    env: Mapping[str, str] = field(default_factory=dict)
    statements: Statements = ()
    wide: str = ""
    """Why a resource has a wildcard."""


def _allow(actions: list[str], *resources: str) -> Statements:
    return (iam.PolicyStatement(actions=actions, resources=list(resources)),)


def checks_tokens(at: Surroundings) -> Grant:
    """Read the secret that tokens are signed with, unless an issuer's key set checks them."""
    env = {"TOKEN_AUDIENCE": at.config.token_audience, "TOKEN_ISSUER": at.config.token_issuer}
    if at.config.token_jwks_url:
        return Grant(env=env | {"TOKEN_JWKS_URL": at.config.token_jwks_url})
    read = _allow(["secretsmanager:GetSecretValue"], at.token_secret_arn)
    return Grant(env=env | {"TOKEN_SECRET_ARN": at.token_secret_arn}, statements=read)


def claims_messages(at: Surroundings) -> Grant:
    """Note connections and messages."""
    write = _allow(["dynamodb:PutItem", "dynamodb:DeleteItem"], at.table_arn)
    return Grant(env={"LIVE_TABLE": at.table_name}, statements=write)


def hands_on(at: Surroundings) -> Grant:
    """Start `turn` and `actions`."""
    names = {"TURN_FUNCTION": f"{PREFIX}turn", "ACTIONS_FUNCTION": f"{PREFIX}actions"}
    start = _allow(["lambda:InvokeFunction"], *(at.function_arn(name) for name in names.values()))
    return Grant(env=names, statements=start)


def uses_live_table(at: Surroundings) -> Grant:
    """Read and change live items."""
    verbs = ("GetItem", "PutItem", "UpdateItem", "DeleteItem", "Query")
    return Grant(
        env={"LIVE_TABLE": at.table_name}, statements=_allow([f"dynamodb:{verb}" for verb in verbs], at.table_arn)
    )


def finds_sockets(at: Surroundings) -> Grant:
    """Look up a person's connections."""
    return Grant(env={"LIVE_TABLE": at.table_name}, statements=_allow(["dynamodb:Query"], at.table_arn))


def posts(at: Surroundings) -> Grant:
    """Post to sockets."""
    post = _allow(["execute-api:ManageConnections"], at.connections_arn)
    why = "Connections come and go."
    return Grant(env={"CONNECTIONS_URL": at.connections_url}, statements=post, wide=why)


def calls_models(at: Surroundings) -> Grant:
    """Stream from the configured models, in whichever region their inference profile sends the call to."""
    env = {
        "MODEL": at.config.model,
        "SMALL_MODEL": at.config.small_model,
        "AGENT_LLM_REGION": at.config.region,
        "THINKING_BUDGET": str(at.config.thinking_budget),
    }
    actions = ["bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"]
    arns = at.model_arns(at.config.model, at.config.small_model)
    if arns:  # and what an agent may choose instead
        arns = sorted({*arns, *at.model_arns(*(f"bedrock:{model}" for model in bedrock_ids(at.config.region)))})
    why = "An inference profile chooses the region; the model is named."
    return Grant(env=env, statements=_allow(actions, *arns) if arns else (), wide=why)


def knows_models(at: Surroundings) -> Grant:
    """Tell which models there are."""
    return Grant(
        env={"MODEL": at.config.model, "SMALL_MODEL": at.config.small_model, "AGENT_LLM_REGION": at.config.region}
    )


def opens_keys(at: Surroundings) -> Grant:
    """Read the master keys, to seal and open keys of model providers."""
    read = _allow(["secretsmanager:GetSecretValue"], at.credential_keys_arn)
    return Grant(env={"CREDENTIAL_KEYS_SECRET_ARN": at.credential_keys_arn}, statements=read)


def starts_machine(at: Surroundings) -> Grant:
    """Start the tool loop of a turn."""
    start = _allow(["states:StartExecution"], at.machine_arn)
    return Grant(env={"TURN_MACHINE_ARN": at.machine_arn}, statements=start)


def stops_machine(at: Surroundings) -> Grant:
    """Stop a turn's tool loop."""
    stop = _allow(["states:StopExecution"], at.executions_arn)
    return Grant(env={"TURN_MACHINE_ARN": at.machine_arn}, statements=stop, wide="Executions are named by turns.")


def starts_afterwards(at: Surroundings) -> Grant:
    """Start what a conversation needs after a turn."""
    name = f"{PREFIX}afterwards"
    return Grant(env={"AFTERWARDS_FUNCTION": name}, statements=_allow(["lambda:InvokeFunction"], at.function_arn(name)))


def prepares_database(at: Surroundings) -> Grant:
    """Be the database's master, to make roles and the database itself."""
    read = _allow(["secretsmanager:GetSecretValue"], at.master_secret_arn)
    return Grant(env={"DATABASE_ADMIN_SECRET_ARN": at.master_secret_arn}, statements=read)


def reads_uploads(at: Surroundings) -> Grant:
    """Read what people uploaded. Without the right to list, S3 answers a missing object with a refusal."""
    read = (*_allow(["s3:GetObject"], f"{at.bucket_arn}/*"), *_allow(["s3:ListBucket"], at.bucket_arn))
    return Grant(env={"UPLOADS_BUCKET": at.bucket_name}, statements=read, wide="Keys are made up for each upload.")


def signs_uploads(at: Surroundings) -> Grant:
    """Sign forms for uploads, and delete what was uploaded."""
    change = _allow(["s3:PutObject", "s3:DeleteObject"], f"{at.bucket_arn}/*")
    return Grant(env={"UPLOADS_BUCKET": at.bucket_name}, statements=change, wide="Keys are made up for each upload.")


def reads_attachments(at: Surroundings) -> Grant:
    """Read files of messages, and no documents. Without the right to list, S3 answers a missing one with a refusal."""
    read = (*_allow(["s3:GetObject"], f"{at.bucket_arn}/{ATTACHMENTS}*"), *_allow(["s3:ListBucket"], at.bucket_arn))
    return Grant(env={"UPLOADS_BUCKET": at.bucket_name}, statements=read, wide="Keys are made up for each upload.")


def signs_attachments(at: Surroundings) -> Grant:
    """Sign addresses at which files of messages are read."""
    read = _allow(["s3:GetObject"], f"{at.bucket_arn}/{ATTACHMENTS}*")
    return Grant(statements=read, wide="Keys are made up for each upload.")


def embeds(at: Surroundings) -> Grant:
    """Turn text into vectors."""
    env = {"AGENT_EMBEDDING_MODEL": at.config.embedding_model, "AGENT_LLM_REGION": at.config.region}
    arns = at.model_arns(str(parse_spec(at.config.embedding_model)))
    return Grant(env=env, statements=_allow(["bedrock:InvokeModel"], *arns) if arns else ())


GRANTS: Final[Mapping[str, tuple[Callable[[Surroundings], Grant], ...]]] = {
    "authorize": (checks_tokens,),
    "front": (claims_messages, hands_on, opens_keys),
    "actions": (uses_live_table, posts, knows_models, opens_keys, stops_machine, signs_uploads, signs_attachments),
    "actions-failed": (posts,),
    "turn": (
        uses_live_table,
        posts,
        calls_models,
        opens_keys,
        embeds,
        reads_attachments,
        starts_machine,
        starts_afterwards,
    ),
    "afterwards": (finds_sockets, posts, calls_models, opens_keys),
    "turn-failed": (uses_live_table, posts),
    "tools": (uses_live_table, posts, opens_keys, calls_models, embeds),
    "ingest": (reads_uploads, embeds, finds_sockets, posts),
    "ingest-failed": (finds_sockets, posts),
    "seed": (),
    "migrate": (prepares_database,),
}
"""By the manifest's names, beside the database role that the manifest says. To add a function, add its line here."""


def grants_of(function: Function, at: Surroundings) -> list[Grant]:
    """Everything that a function may do, by its name and its database role."""
    found = [grant(at) for grant in GRANTS.get(function.name, ())]
    return [*found, _connects(function.database_role, at)] if function.database_role else found


def talks_to_models(function: Function) -> bool:
    """Say whether a function calls models."""
    return calls_models in GRANTS.get(function.name, ())


def _connects(role: str, at: Surroundings) -> Grant:
    """Open Postgres as a role. The owner's password is given at deploys only, so nobody has a token for it."""
    user = role_name(role)
    url = f"postgresql://{user}@{at.database_host}:5432/{DATABASE}?sslmode=require"
    return Grant(
        env={"DATABASE_URL": url},
        statements=() if role == "owner" else _allow(["rds-db:connect"], at.database_user_arn(user)),
    )
