"""The state machine is the file that runs locally."""

import json
import re
from typing import Any

from infra.constructs.turn_machine import DEFINITION
from infra.permissions import resolve
from local.stack import MACHINE_NAMES
from tests.infra.conftest import Deployment


def machine(deployed: Deployment) -> Any:
    (found,) = deployed.all("AWS::StepFunctions::StateMachine")
    return found


def test_the_definition_is_the_file(deployed: Deployment) -> None:
    assert json.loads(machine(deployed)["DefinitionString"]) == json.loads(DEFINITION.read_text())


def test_every_placeholder_is_the_function_that_it_is_locally(deployed: Deployment) -> None:
    wanted = set(re.findall(r"\$\{(\w+)\}", DEFINITION.read_text()))
    template = deployed.stack("realtime")
    given = {
        name: resolve(arn, template, {}).rpartition(":")[2]
        for name, arn in machine(deployed)["DefinitionSubstitutions"].items()
    }
    assert given.keys() == wanted
    assert given == MACHINE_NAMES


def test_errors_are_logged_without_states(deployed: Deployment) -> None:
    logging = machine(deployed)["LoggingConfiguration"]
    assert logging["Level"] == "ERROR"
    assert logging["IncludeExecutionData"] is False
    assert machine(deployed)["TracingConfiguration"] == {"Enabled": True}
