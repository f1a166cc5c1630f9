"""Two synths a session, since starting CDK's Node process is slow: what is deployed, and a variation."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from functions.manifest import FUNCTIONS, Function
from infra.assembly import build, new_app
from infra.config import Config

Resource = Mapping[str, Any]

SWEEP = Function(
    name="sweep-for-tests", handler="functions.janitor.sweep.handler", timeout_seconds=30, every_seconds=300
)
CONTEXT = {
    "nat": "true",
    "modelProviders": "true",
    "uploadOrigins": "https://a.example, https://b.example",
    "tokenJwksUrl": "https://issuer/k",
}


@dataclass(frozen=True, repr=False)
class Deployment:
    """Templates by stack, and the folder of the assembly."""

    templates: Mapping[str, dict[str, Any]]
    folder: Path

    def stack(self, name: str) -> dict[str, Any]:
        return self.templates[f"rolecall-{name}"]

    def all(self, kind: str) -> list[Resource]:
        """Properties of every resource of a type."""
        return [resource["Properties"] for resource in self.resources(kind)]

    def resources(self, kind: str) -> list[Resource]:
        return [
            resource
            for template in self.templates.values()
            for resource in template["Resources"].values()
            if resource["Type"] == kind
        ]

    def functions(self) -> dict[str, Resource]:
        """The product's functions by their name in the manifest."""
        named = (found for found in self.all("AWS::Lambda::Function") if "FunctionName" in found)
        return {found["FunctionName"].removeprefix("rolecall-"): found for found in named}

    def template_of(self, function: str) -> dict[str, Any]:
        """The stack that has a function."""
        return next(
            template
            for template in self.templates.values()
            if any(
                resource["Properties"].get("FunctionName") == f"rolecall-{function}"
                for resource in template["Resources"].values()
                if resource["Type"] == "AWS::Lambda::Function"
            )
        )


def _synthesise(folder: Path, context: dict[str, Any], functions: tuple[Function, ...]) -> Deployment:
    app = new_app(folder, context)
    build(app, Config.from_context(app.node.try_get_context), functions)
    app.synth()  # raises where cdk-nag finds something that has no reason
    found = folder.glob("*.template.json")
    return Deployment(
        {path.name.removesuffix(".template.json"): json.loads(path.read_text()) for path in found}, folder
    )


@pytest.fixture(scope="session")
def deployed(tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    """The product as it is deployed for real."""
    context = {"stage": "prod", "alarmEmail": "alarms@example.com"}
    return _synthesise(tmp_path_factory.mktemp("prod"), context, FUNCTIONS)


@pytest.fixture(scope="session")
def varied(tmp_path_factory: pytest.TempPathFactory) -> Deployment:
    """A stage to try things on, with a NAT, an issuer's key set, and a function on a schedule."""
    return _synthesise(tmp_path_factory.mktemp("dev"), CONTEXT, (*FUNCTIONS, SWEEP))
