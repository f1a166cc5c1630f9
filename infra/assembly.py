"""Which stacks there are, and which function of the manifest goes where."""

import json
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from aws_cdk import App, Environment, Tags, Validations
from cdk_nag import AwsSolutionsChecks

from functions.manifest import FUNCTIONS, Function
from infra.config import PREFIX, ROOT, Config
from infra.constructs.surroundings import UPLOADS_QUEUE
from infra.data import Data
from infra.ingest import Ingest
from infra.migrations import DEPLOY, Migrations
from infra.network import Network
from infra.realtime import Realtime
from infra.schedules import Schedules


def new_app(outdir: Path, context: dict[str, Any] | None = None) -> App:
    """Make an app with the flags of cdk.json, also where the CDK command line does not start it."""
    flags = json.loads((ROOT / "cdk.json").read_text())["context"]
    return App(outdir=str(outdir), context=flags | (context or {}), analytics_reporting=False)


def build(app: App, config: Config, functions: Sequence[Function] = FUNCTIONS) -> None:
    """Add all stacks. A stack without functions of its own is left out."""
    # No account: with one, CDK would ask AWS for its zones, and templates would differ from those that are tested.
    env: dict[str, Any] = {"env": Environment(region=config.region)}
    ingesting = [function for function in functions if function.reads_queue in {UPLOADS_QUEUE, f"{UPLOADS_QUEUE}-dlq"}]
    scheduled = [function for function in functions if function.every_seconds]
    deploying = {function.name: function for function in functions if function.name in DEPLOY}
    network = Network(app, f"{PREFIX}network", config=config, **env)
    data = Data(app, f"{PREFIX}data", config=config, network=network, functions=functions, **env)
    data.termination_protection = config.keeps_data
    shared: dict[str, Any] = {"place": network.place, **env}
    migrations = Migrations(app, f"{PREFIX}migrations", functions=deploying, at=data.surroundings, **shared)
    realtime = Realtime(
        app,
        f"{PREFIX}realtime",
        functions=_without(functions, [*ingesting, *scheduled, *deploying.values()]),
        at=data.surroundings,
        queues=data.queues,
        alarms_to=data.alarms_to,
        **shared,
    )
    realtime.add_stack_dependency(migrations)
    shared["at"] = realtime.surroundings
    if ingesting:
        ingest = Ingest(app, f"{PREFIX}ingest", functions=ingesting, queues=data.queues, **shared)
        ingest.add_stack_dependency(realtime)
    if scheduled:
        schedules = Schedules(app, f"{PREFIX}schedules", functions=scheduled, alarms_to=data.alarms_to, **shared)
        schedules.add_stack_dependency(realtime)
    Tags.of(app).add("application", "rolecall")
    Tags.of(app).add("stage", config.stage)
    Validations.of(app).add_plugins(AwsSolutionsChecks())


def _without(functions: Iterable[Function], placed: Iterable[Function]) -> list[Function]:
    names = {function.name for function in placed}
    return [function for function in functions if function.name not in names]
