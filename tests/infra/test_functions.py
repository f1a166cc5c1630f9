"""Every function of the manifest is deployed as the manifest says, and is told what it may use."""

import json
from typing import Any

import pytest

from functions.manifest import FUNCTIONS, QUEUES, Function
from infra.constructs.grants import GRANTS
from infra.migrations import DEPLOY
from infra.permissions import exports, resolve
from local.stack import DEPLOY as LOCAL_DEPLOY
from rolecall.settings import Settings
from tests.infra.conftest import SWEEP, Deployment

PLATFORM = {"POWERTOOLS_SERVICE_NAME", "POWERTOOLS_METRICS_NAMESPACE", "AWS_ENDPOINT_URL_SFN"}
"""Variables of the libraries; all others are settings of ours."""
EMBEDDING = {"AGENT_EMBEDDING_MODEL", "AGENT_LLM_REGION"}
NEEDS = {
    "authorize": {"TOKEN_SECRET_ARN", "TOKEN_AUDIENCE", "TOKEN_ISSUER"},
    "front": {"LIVE_TABLE", "TURN_FUNCTION", "ACTIONS_FUNCTION"},
    "actions": {"LIVE_TABLE", "CONNECTIONS_URL", "TURN_MACHINE_ARN", "UPLOADS_BUCKET"},
    "turn": {
        "LIVE_TABLE",
        "CONNECTIONS_URL",
        "TURN_MACHINE_ARN",
        "AFTERWARDS_FUNCTION",
        "MODEL",
        "SMALL_MODEL",
        *EMBEDDING,
    },
    "turn-failed": {"LIVE_TABLE", "CONNECTIONS_URL"},
    "afterwards": {"LIVE_TABLE", "CONNECTIONS_URL", "SMALL_MODEL", "AGENT_LLM_REGION"},
    "tools": {"LIVE_TABLE", "CONNECTIONS_URL", *EMBEDDING},
    "migrate": {"DATABASE_ADMIN_SECRET_ARN"},
    "ingest": {"UPLOADS_BUCKET", "LIVE_TABLE", "CONNECTIONS_URL", *EMBEDDING},
    "ingest-failed": {"LIVE_TABLE", "CONNECTIONS_URL"},
}

by_function = pytest.mark.parametrize("function", FUNCTIONS, ids=lambda function: function.name)


def invoke_config(deployed: Deployment, name: str) -> dict[str, Any]:
    template = deployed.template_of(name)
    return next(
        resource["Properties"]
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::Lambda::EventInvokeConfig"
        and resolve(resource["Properties"]["FunctionName"], template, {}).endswith(f":rolecall-{name}")
    )


def queue_arn(name: str) -> str:
    return f"arn:aws:sqs:eu-north-1:123456789012:{name}"


def queue_arns(deployed: Deployment) -> dict[str, str]:
    return exports(*deployed.templates.values())


def test_nothing_but_the_manifest_is_deployed(deployed: Deployment) -> None:
    assert deployed.functions().keys() == {function.name for function in FUNCTIONS}


def test_every_function_says_in_the_list_what_it_may_use() -> None:
    assert GRANTS.keys() == {function.name for function in FUNCTIONS}, "see infra/constructs/grants.py"


@by_function
def test_a_function_has_the_limits_of_its_line(deployed: Deployment, function: Function) -> None:
    made = deployed.functions()[function.name]
    assert made["Handler"] == function.handler
    assert made["Timeout"] == function.timeout_seconds
    assert made["MemorySize"] == function.memory_mb
    assert (made["Runtime"], made["Architectures"]) == ("python3.13", ["arm64"])
    assert made["TracingConfig"] == {"Mode": "Active"}


@by_function
def test_a_function_has_its_layers(deployed: Deployment, function: Function) -> None:
    resources = deployed.template_of(function.name)["Resources"]
    layers = [resources[layer["Ref"]]["Properties"] for layer in deployed.functions()[function.name]["Layers"]]
    assert {layer["LayerName"] for layer in layers} == {f"rolecall-{name}" for name in ("core", *function.layers)}
    assert all(layer["CompatibleArchitectures"] == ["arm64"] for layer in layers)


def test_models_of_other_houses_cost_a_layer_only_where_they_are_asked_for_and_called(
    deployed: Deployment, varied: Deployment
) -> None:
    def having(at: Deployment) -> set[str]:
        layers = {
            name
            for t in at.templates.values()
            for name, made in t["Resources"].items()
            if made["Properties"].get("LayerName") == "rolecall-providers"
        }
        return {name for name, made in at.functions().items() if layers & {ref["Ref"] for ref in made["Layers"]}}

    assert having(deployed) == set()
    assert having(varied) == {"turn", "afterwards", "tools"}


@by_function
def test_an_asynchronous_invocation_is_tried_and_given_up_as_its_line_says(
    deployed: Deployment, function: Function
) -> None:
    config = invoke_config(deployed, function.name)
    assert config["MaximumRetryAttempts"] == function.max_retries
    assert config["MaximumEventAgeInSeconds"] == function.max_event_age_seconds
    queue = config.get("DestinationConfig", {}).get("OnFailure", {}).get("Destination")
    wanted = queue_arn(function.on_failure_queue) if function.on_failure_queue else None
    assert queue is None if wanted is None else resolve(queue, {"Resources": {}}, queue_arns(deployed)) == wanted


@by_function
def test_a_function_reads_its_queue_in_batches_that_may_fail_in_part(deployed: Deployment, function: Function) -> None:
    template = deployed.template_of(function.name)
    sources = [
        resource["Properties"]
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::Lambda::EventSourceMapping"
        and resolve(resource["Properties"]["FunctionName"], template, {}).endswith(f":rolecall-{function.name}")
    ]
    read = [resolve(source["EventSourceArn"], template, queue_arns(deployed)) for source in sources]
    assert read == ([queue_arn(function.reads_queue)] if function.reads_queue else [])
    for source in sources:
        assert source["BatchSize"] == function.batch_size
        assert source["FunctionResponseTypes"] == ["ReportBatchItemFailures"]


@by_function
def test_only_what_opens_postgres_is_in_the_vpc_and_knows_where_the_database_is(
    deployed: Deployment, function: Function
) -> None:
    made = deployed.functions()[function.name]
    inside = function.database_role is not None
    assert ("VpcConfig" in made) is inside
    assert ("DATABASE_URL" in made["Environment"]["Variables"]) is inside
    assert ("rds-db:connect" in json.dumps(deployed.template_of(function.name)["Resources"][role_of(made)])) is (
        inside and function.database_role != "owner"
    )
    if inside:
        assert made["VpcConfig"]["Ipv6AllowedForDualStack"] is True


def role_of(made: Any) -> str:
    return str(made["Role"]["Fn::GetAtt"][0])


@by_function
def test_variables_are_settings_and_hold_what_the_function_needs(deployed: Deployment, function: Function) -> None:
    variables = deployed.functions()[function.name]["Environment"]["Variables"]
    settings = {str(field.alias) for field in Settings.model_fields.values()}
    assert variables.keys() - PLATFORM <= settings
    assert NEEDS.get(function.name, set()) <= variables.keys()
    Settings.from_env(
        {name: value if isinstance(value, str) else json.dumps(value) for name, value in variables.items()}
    )


def test_a_database_url_names_the_role_and_has_no_password(deployed: Deployment) -> None:
    template = deployed.template_of("turn")
    url = resolve(deployed.functions()["turn"]["Environment"]["Variables"]["DATABASE_URL"], template, {})
    assert url.startswith("postgresql://rolecall_app@{")
    assert url.endswith("}:5432/rolecall?sslmode=require")


def test_every_function_keeps_its_logs_for_a_time_under_its_own_name(deployed: Deployment) -> None:
    groups = {group.get("LogGroupName"): group["RetentionInDays"] for group in deployed.all("AWS::Logs::LogGroup")}
    assert {f"/aws/lambda/rolecall-{function.name}" for function in FUNCTIONS} <= groups.keys()
    assert set(groups.values()) == {90}


def test_the_asset_is_importable_as_functions_and_carries_nothing_else(deployed: Deployment) -> None:
    code = deployed.functions()["turn"]["Code"]["S3Key"].removesuffix(".zip")
    folder = deployed.folder / f"asset.{code}"
    assert [path.name for path in folder.iterdir()] == ["functions"]
    assert (folder / "functions" / "chat" / "turn.py").is_file()
    assert not list(folder.rglob("*.pyc"))


def test_the_core_layer_is_the_package_with_its_migrations(deployed: Deployment) -> None:
    layers = [layer for layer in deployed.all("AWS::Lambda::LayerVersion") if layer["LayerName"] == "rolecall-core"]
    folder = deployed.folder / f"asset.{layers[0]['Content']['S3Key'].removesuffix('.zip')}"
    assert (folder / "python" / "rolecall" / "settings.py").is_file()
    assert list((folder / "python" / "rolecall" / "db" / "migrations").glob("*.sql"))


def test_a_function_with_a_period_gets_a_rule_by_itself(varied: Deployment) -> None:
    rule = next(rule for rule in varied.all("AWS::Events::Rule") if rule["Name"] == f"rolecall-{SWEEP.name}")
    assert rule["ScheduleExpression"] == "rate(5 minutes)"
    target = rule["Targets"][0]
    template = varied.stack("schedules")
    assert resolve(target["Arn"], template, {}).endswith(f":rolecall-{SWEEP.name}")
    assert resolve(target["DeadLetterConfig"]["Arn"], template, {}) == queue_arn("rolecall-schedules-failed-dlq")
    assert "VpcConfig" not in varied.functions()[SWEEP.name]


def test_rules_are_the_periods_of_the_manifest(deployed: Deployment) -> None:
    periods = {f"rolecall-{function.name}" for function in FUNCTIONS if function.every_seconds}
    assert {rule["Name"] for rule in deployed.all("AWS::Events::Rule")} == periods


def test_every_queue_of_the_manifest_is_there(deployed: Deployment) -> None:
    made = {queue["QueueName"] for queue in deployed.all("AWS::SQS::Queue")}
    assert {*QUEUES, "rolecall-uploads"} <= made


def test_a_message_is_shown_again_only_after_six_of_its_readers_limits(deployed: Deployment) -> None:
    shown = {queue["QueueName"]: queue["VisibilityTimeout"] for queue in deployed.all("AWS::SQS::Queue")}
    readers = [function for function in FUNCTIONS if function.reads_queue]
    assert readers
    for function in readers:
        assert shown[function.reads_queue] >= 6 * function.timeout_seconds


def test_a_deploy_invokes_what_a_local_start_invokes() -> None:
    assert DEPLOY == LOCAL_DEPLOY


def test_migrations_run_before_seeding_and_before_any_new_code(deployed: Deployment) -> None:
    resources = deployed.stack("migrations")["Resources"]
    triggers = {name: found for name, found in resources.items() if found["Type"] == "Custom::Trigger"}
    seeding = next(found for name, found in triggers.items() if name.startswith("runseed"))
    assert any(name.startswith("runmigrate") for name in seeding["DependsOn"])
    manifest = json.loads((deployed.folder / "manifest.json").read_text())
    assert "rolecall-migrations" in manifest["artifacts"]["rolecall-realtime"]["dependencies"]
