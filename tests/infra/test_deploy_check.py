"""What `rolecall deploy-check` says of sizes and prices."""

from typing import Any

import pytest
import typer

from infra.pricing import HOURS, idle_month
from local import deploy_check
from tests.infra.conftest import Deployment

LIMIT = deploy_check.FUNCTION_BYTES


def a_function(handler: str = "functions.tools.executor.handler", layers: int = 2) -> dict[str, Any]:
    properties = {"FunctionName": "rolecall-x", "Handler": handler, "Layers": [{"Ref": "L"}] * layers}
    return {"s": {"Resources": {"F": {"Type": "AWS::Lambda::Function", "Properties": properties}}}}


@pytest.mark.parametrize(
    ("templates", "size", "problem"),
    [
        (a_function(), LIMIT, None),
        (a_function(), LIMIT + 1, "are allowed"),
        (a_function("functions.chat.turn.handler"), deploy_check.CHAT_BYTES, None),
        (a_function("functions.chat.turn.handler"), deploy_check.CHAT_BYTES + 1, "a chat function may have"),
        (a_function(layers=6), 1, "6 layers"),
    ],
)
def test_it_says_what_is_too_large(templates: dict[str, Any], size: int, problem: str | None) -> None:
    found = deploy_check.problems_of(templates, {"rolecall-x": (0, size)})
    assert len(found) == (problem is not None)
    assert problem is None or problem in found[0]


def test_a_layer_that_is_not_built_is_a_problem_and_keeps_the_stack_from_deploying() -> None:
    rule = {"Assertions": [{"Assert": {"Fn::Equals": ["built", "missing"]}, "AssertDescription": "not built"}]}
    assert deploy_check.problems_of({"s": {"Resources": {}, "Rules": {"LayerBaseIsBuilt": rule}}}, {}) == [
        "s: not built"
    ]


def test_the_idle_price_counts_what_stands(deployed: Deployment, varied: Deployment) -> None:
    cheap = {line.what: line.dollars for line in idle_month(deployed.templates.values())}
    with_nat = {line.what: line.dollars for line in idle_month(varied.templates.values())}
    assert cheap["Interface endpoints"] == pytest.approx(0.011 * HOURS)
    assert cheap["NAT gateways"] == with_nat["Interface endpoints"] == 0
    assert with_nat["NAT gateways"] > cheap["Interface endpoints"]
    assert (cheap["Keys"], with_nat["Keys"]) == (1, 0)
    assert sum(cheap.values()) < 15


def test_a_database_that_never_pauses_has_no_idle_price() -> None:
    cluster = {
        "Type": "AWS::RDS::DBCluster",
        "Properties": {"ServerlessV2ScalingConfiguration": {"MinCapacity": 0.5}},
    }
    with pytest.raises(ValueError, match="never pauses"):
        idle_month([{"Resources": {"D": cluster}}])


def test_context_is_given_as_to_cdk() -> None:
    assert deploy_check._pairs(["stage=prod", "model=bedrock:a=b"]) == {"stage": "prod", "model": "bedrock:a=b"}
    with pytest.raises(typer.BadParameter, match="key=value"):
        deploy_check._pairs(["stage"])
