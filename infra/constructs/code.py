"""What a function runs: the asset `functions/`, the core layer as it lies, and the vendor layers."""

from pathlib import Path
from typing import Final

from aws_cdk import Annotations, CfnRule, CfnRuleAssertion, Fn, IgnoreMode, Stack
from aws_cdk import aws_lambda as lambda_

from infra import layers
from infra.config import PREFIX, ROOT

RUNTIME: Final = lambda_.Runtime.PYTHON_3_13
ARCHITECTURE: Final = lambda_.Architecture.ARM_64
CORE: Final = ROOT / "layers" / "core"
PLACEHOLDER: Final = Path(__file__).parent / "placeholder"
_COMPILED: Final = ["__pycache__", "*.pyc"]


def functions_code() -> lambda_.Code:
    """The folder `functions`, named as it is imported."""
    return lambda_.Code.from_asset(str(ROOT), exclude=["/*", "!/functions", *_COMPILED], ignore_mode=IgnoreMode.GIT)


def layer(stack: Stack, name: str) -> lambda_.ILayerVersion:
    """A layer of a stack by its name: `core`, or one with a lock.

    Each stack has versions of its own: an exported version could never change while another stack uses it.
    """
    made = stack.node.try_find_child(f"Layer-{name}")
    return made if isinstance(made, lambda_.LayerVersion) else _layer(stack, name)


def _layer(stack: Stack, name: str) -> lambda_.LayerVersion:
    folder = CORE if name == "core" else layers.built(name)
    if folder is None:
        _refuse_to_deploy(stack, name)
    return lambda_.LayerVersion(
        stack,
        f"Layer-{name}",
        layer_version_name=f"{PREFIX}{name}",
        code=lambda_.Code.from_asset(str(folder or PLACEHOLDER), exclude=_COMPILED),
        compatible_runtimes=[RUNTIME],
        compatible_architectures=[ARCHITECTURE],
    )


def _refuse_to_deploy(stack: Stack, name: str) -> None:
    """A synth without the layer is good for looking and testing; CloudFormation itself refuses to deploy it."""
    reason = f"The vendor layer {name} is not built, or older than its lock: run make layers, then deploy."
    Annotations.of(stack).add_warning_v2(f"rolecall:layer-{name}", reason)
    CfnRule(
        stack,
        f"Layer{name.title()}IsBuilt",
        assertions=[
            CfnRuleAssertion(assert_=Fn.condition_equals("built", "missing"), assert_description=reason),
        ],
    )
