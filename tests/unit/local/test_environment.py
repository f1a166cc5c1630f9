from functions.manifest import FUNCTIONS
from local.environment import OFFLINE_MODEL, OFFLINE_SMALL_MODEL, Endpoints, function_environment
from rolecall.settings import Settings

ENDPOINTS = Endpoints(
    aws="http://aws",
    lambdas="http://lambdas",
    connections="http://connections",
    bedrock="http://bedrock",
    database_urls={"app": "postgresql://app", "seed": "postgresql://seed"},
)
OUTER = {
    "PATH": "/bin",
    "AWS_PROFILE": "people",
    "AWS_ACCESS_KEY_ID": "theirs",
    "AWS_ENDPOINT_URL_S3": "http://elsewhere",
    "DATABASE_URL": "postgresql://elsewhere",
    "EDITOR": "vi",
}


def environment(name, overrides=None, **outer):
    (function,) = (function for function in FUNCTIONS if function.name == name)
    return function_environment(
        function,
        ENDPOINTS,
        token_secret="hush",
        credential_keys="seal",
        overrides=overrides or {},
        outer={**OUTER, **outer},
    )


def test_every_service_that_the_code_uses_is_local():
    env = environment("turn")
    assert {name: value for name, value in env.items() if name.startswith("AWS_ENDPOINT_URL")} == {
        "AWS_ENDPOINT_URL_S3": "http://aws",
        "AWS_ENDPOINT_URL_SQS": "http://aws",
        "AWS_ENDPOINT_URL_DYNAMODB": "http://aws",
        "AWS_ENDPOINT_URL_SFN": "http://aws",
        "AWS_ENDPOINT_URL_LAMBDA": "http://lambdas",
        "AWS_ENDPOINT_URL_APIGATEWAYMANAGEMENTAPI": "http://connections",
        "AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "http://bedrock",
    }


def test_nothing_of_the_users_environment_leaks_into_a_function():
    env = environment("turn")
    assert env["AWS_ACCESS_KEY_ID"] == "local"
    assert env["DATABASE_URL"] == "postgresql://app"
    assert {"AWS_PROFILE", "EDITOR"} & env.keys() == set()


def test_a_function_without_a_database_role_gets_no_database():
    assert "DATABASE_URL" not in environment("front")


def test_only_the_authorizer_knows_the_token_secret():
    knowing = [f.name for f in FUNCTIONS if "hush" in environment(f.name).values()]
    assert knowing == ["authorize"]


def test_only_what_seals_or_opens_model_keys_knows_the_master_keys():
    knowing = {f.name for f in FUNCTIONS if "seal" in environment(f.name).values()}
    assert knowing == {"front", "actions", "turn", "afterwards", "tools"}


def test_the_offline_model_is_the_default_for_both_sizes():
    settings = Settings.from_env(environment("turn"))
    assert (settings.model, settings.small_model) == (OFFLINE_MODEL, OFFLINE_SMALL_MODEL)


def test_a_model_of_awss_gets_the_users_credentials_and_the_real_endpoint():
    env = environment(
        "turn", MODEL="bedrock:eu.anthropic.claude-sonnet-4-6", AWS_REGION="us-west-2", AGENT_LLM_REGION="us-east-1"
    )
    assert "AWS_ENDPOINT_URL_BEDROCK_RUNTIME" not in env
    assert env["AWS_PROFILE"] == "people"
    assert env["AWS_ACCESS_KEY_ID"] == "theirs"
    assert env["AWS_ENDPOINT_URL_S3"] == "http://aws"
    assert env["AWS_REGION"] == "eu-north-1"
    assert env["AGENT_LLM_REGION"] == "us-east-1"
    assert "SMALL_MODEL" not in env


def test_another_providers_model_keeps_the_local_endpoints():
    env = environment("turn", MODEL="ollama:qwen3")
    assert env["AWS_ENDPOINT_URL_BEDROCK_RUNTIME"] == "http://bedrock"
    assert env["SMALL_MODEL"] == "ollama:qwen3"


def test_an_override_wins():
    assert environment("turn", overrides={"MODEL": "x:y"})["MODEL"] == "x:y"
