"""`rolecall deploy-check`: what a deploy would make, how large it is, and what it costs while idle. Asks no AWS."""

import json
import tempfile
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, Final

import typer
from rich.console import Console
from rich.table import Table

Template = Mapping[str, Any]

FUNCTION_BYTES: Final = 250 * 1024 * 1024
"""Lambda: the code and all layers of one function, unzipped."""
CHAT_BYTES: Final = 60 * 1000 * 1000
"""Our own limit for all that a chat function gets, unzipped."""
LAYERS: Final = 5


def deploy_check(
    build_layers: Annotated[bool, typer.Option(help="Build vendor layers that are missing or stale first.")] = True,
    context: Annotated[list[str] | None, typer.Option("--context", "-c", help="As for cdk: stage=prod")] = None,
) -> None:
    """Synthesise, and say what a deploy would make, how large it is, and its idle price."""
    console = Console()
    with tempfile.TemporaryDirectory() as folder:
        templates = synthesise(Path(folder), _pairs(context or []), build_layers=build_layers)
        console.print(_stacks(templates))
        sizes = {name: _sizes(properties, Path(folder)) for name, properties in functions_of(templates)}
        console.print(_functions(templates, sizes))
        console.print(_rest(templates))
        console.print(_prices(templates))
    problems = problems_of(templates, sizes)
    for problem in problems:
        console.print(f"[red]{problem}[/red]")
    if problems:
        raise typer.Exit(1)
    console.print("Nothing is too large, and every rule of cdk-nag is met or has its reason. Not yet run on AWS.")


def synthesise(folder: Path, context: dict[str, str], *, build_layers: bool) -> dict[str, Template]:
    """Write the assembly to a folder; templates by stack.

    Raises:
        typer.Exit: the app cannot be synthesised; why was printed.
    """
    from infra import layers
    from infra.assembly import build, new_app
    from infra.config import Config

    try:
        for name in layers.names() if build_layers else ():
            if layers.built(name) is None:
                layers.build(name)
        app = new_app(folder, context)
        build(app, Config.from_context(app.node.try_get_context))
    except (ValueError, layers.LayerError) as error:
        typer.echo(str(error), err=True)
        raise typer.Exit(1) from error
    app.synth()
    found = sorted(folder.glob("*.template.json"))
    return {path.name.removesuffix(".template.json"): json.loads(path.read_text()) for path in found}


def functions_of(templates: Mapping[str, Template]) -> list[tuple[str, dict[str, Any]]]:
    """The product's functions by name, with their resource and its stack's template."""
    return [
        (resource["Properties"]["FunctionName"], {"resource": resource, "template": template})
        for template in templates.values()
        for resource in template["Resources"].values()
        if resource["Type"] == "AWS::Lambda::Function" and "FunctionName" in resource["Properties"]
    ]


def problems_of(templates: Mapping[str, Template], sizes: Mapping[str, tuple[int, int]]) -> list[str]:
    """What Lambda, or our own limits, would not take."""
    found = [
        f"{name}: {_mb(code + layers)} unzipped, {_mb(FUNCTION_BYTES)} are allowed."
        for name, (code, layers) in sizes.items()
        if code + layers > FUNCTION_BYTES
    ]
    for name, function in functions_of(templates):
        properties = function["resource"]["Properties"]
        chat = properties["Handler"].startswith("functions.chat.")
        if chat and sum(sizes[name]) > CHAT_BYTES:
            found.append(f"{name}: {_mb(sum(sizes[name]))} unzipped; a chat function may have {_mb(CHAT_BYTES)}.")
        if len(properties["Layers"]) > LAYERS:
            found.append(f"{name}: {len(properties['Layers'])} layers, {LAYERS} are allowed.")
    found += [
        f"{stack}: {assertion['AssertDescription']}"
        for stack, template in templates.items()
        for name, rule in template.get("Rules", {}).items()
        if name.startswith("Layer")
        for assertion in rule["Assertions"]
    ]
    return found


def _sizes(function: Mapping[str, Any], folder: Path) -> tuple[int, int]:
    """Bytes of a function's own code and of its layers, unzipped."""
    resources = function["template"]["Resources"]
    properties = function["resource"]["Properties"]
    layers = [resources[layer["Ref"]]["Properties"]["Content"] for layer in properties["Layers"]]
    return _asset_bytes(properties["Code"], folder), sum(_asset_bytes(layer, folder) for layer in layers)


def _asset_bytes(code: Mapping[str, Any], folder: Path) -> int:
    from infra.layers import unzipped_bytes

    return unzipped_bytes(folder / f"asset.{str(code['S3Key']).removesuffix('.zip')}")


def _stacks(templates: Mapping[str, Template]) -> Table:
    table = Table("stack", "resources", "of which", title="What would be made", title_justify="left")
    for name, template in templates.items():
        kinds = Counter(resource["Type"].split("::", 1)[1] for resource in template["Resources"].values())
        shown = ", ".join(f"{count} {kind}" for kind, count in kinds.most_common(4))
        table.add_row(name, str(sum(kinds.values())), shown)
    return table


def _functions(templates: Mapping[str, Template], sizes: Mapping[str, tuple[int, int]]) -> Table:
    table = Table(
        "function", "memory", "limit", "in the VPC", "code", "layers", title="Functions, unzipped", title_justify="left"
    )
    for name, function in functions_of(templates):
        properties = function["resource"]["Properties"]
        code, layers = sizes[name]
        inside = "yes" if "VpcConfig" in properties else ""
        limits = f"{properties['MemorySize']} MB", f"{properties['Timeout']} s"
        table.add_row(name, *limits, inside, _mb(code), _mb(layers))
    return table


def _rest(templates: Mapping[str, Template]) -> Table:
    table = Table("kind", "names", title="Queues and schedules", title_justify="left")
    queues = [resource["Properties"]["QueueName"] for resource in _all(templates, "AWS::SQS::Queue")]
    rules = [
        f"{resource['Properties']['Name']} {resource['Properties']['ScheduleExpression']}"
        for resource in _all(templates, "AWS::Events::Rule")
    ]
    table.add_row("queues", ", ".join(queues))
    table.add_row("schedules", ", ".join(rules) or "none: no function of the manifest has a period")
    return table


def _prices(templates: Mapping[str, Template]) -> Table:
    from functions.manifest import FUNCTIONS
    from infra.pricing import HOURS, idle_month

    runs = sum(HOURS * 3600 / function.every_seconds for function in FUNCTIONS if function.every_seconds)
    lines = idle_month(templates.values(), runs_a_month=runs)
    table = Table(
        "idle, a month", "assumed", "$", title="An ESTIMATE, eu-north-1, not a quote", title_justify="left",
        show_footer=True,
    )  # fmt: skip
    table.columns[0].footer = "together"
    table.columns[2].footer = f"{sum(line.dollars for line in lines):.2f}"
    table.columns[2].justify = "right"
    for line in lines:
        table.add_row(line.what, line.assumption, f"{line.dollars:.2f}")
    return table


def _all(templates: Mapping[str, Template], kind: str) -> Iterable[Mapping[str, Any]]:
    return (
        resource
        for template in templates.values()
        for resource in template["Resources"].values()
        if resource["Type"] == kind
    )


def _pairs(given: Iterable[str]) -> dict[str, str]:
    parted = [text.partition("=") for text in given]
    if wrong := [key for key, equals, _ in parted if not equals]:
        raise typer.BadParameter(f"{wrong[0]!r} is not of the form key=value")
    return {key: value for key, _, value in parted}


def _mb(size: int) -> str:
    return f"{size / 1e6:.1f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"
