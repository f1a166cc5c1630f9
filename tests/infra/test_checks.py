"""What others check: cdk-nag's rules at the synth, cfn-lint's on the templates."""

import contextlib
import json
from pathlib import Path

import aws_cdk as cdk
import pytest
from aws_cdk import aws_sqs as sqs
from cdk_nag import AwsSolutionsChecks
from cfnlint import lint
from cfnlint.config import ManualArgs

from infra.constructs.reasons import accept
from tests.infra.conftest import Deployment

STACKS = ["network", "data", "migrations", "realtime", "ingest"]
HARMLESS = ["W3005", "W8003"]
"""CDK writes out dependencies that CloudFormation would see for itself; a layer that is not built refuses always."""


@pytest.mark.parametrize("name", STACKS)
def test_cfn_lint_finds_nothing(
    deployed: Deployment, name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.chdir(tmp_path)  # away from the command's own configuration, which names files
    found = lint(json.dumps(deployed.stack(name)), config=ManualArgs(regions=["eu-north-1"], ignore_checks=HARMLESS))
    assert [str(match) for match in found] == []


def test_cfn_lint_looks_at_every_stack(deployed: Deployment) -> None:
    assert {name.removeprefix("rolecall-") for name in deployed.templates} - {"schedules"} == set(STACKS)


@pytest.mark.parametrize("fixture", ["deployed", "varied"])
def test_cdk_nag_has_looked_and_found_nothing_without_a_reason(fixture: str, request: pytest.FixtureRequest) -> None:
    deployment: Deployment = request.getfixturevalue(fixture)
    report = json.loads((deployment.folder / "validation-report.json").read_text())
    nag = next(found for found in report["pluginReports"] if found["pluginName"] == "AwsSolutions")
    assert nag["conclusion"] == "success"
    assert [found for found in nag["violations"] if found["severity"] == "error"] == []


@pytest.mark.parametrize("reasons", [{}, {"SQS3": "a test"}, {"SQS3": "a test", "SQS4": "a test"}])
def test_a_finding_stops_the_synth_unless_it_has_a_reason(
    reasons: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    app = cdk.App(outdir=str(tmp_path_factory.mktemp("one")))
    accept(sqs.Queue(cdk.Stack(app, "one"), "queue"), reasons)
    cdk.Validations.of(app).add_plugins(AwsSolutionsChecks())
    with contextlib.nullcontext() if len(reasons) == 2 else pytest.raises(RuntimeError, match="ValidationFailed"):
        app.synth()
