"""Starting other functions and the turn's state machine."""

import json
from collections.abc import Mapping
from typing import Any

from rolecall.aws import clients


def start(function: str, payload: Mapping[str, Any]) -> None:
    """Invoke a function asynchronously; it is delivered at least once."""
    clients.lambdas().invoke(FunctionName=function, InvocationType="Event", Payload=json.dumps(payload).encode())


def start_machine(arn: str, name: str, state: Mapping[str, Any]) -> None:
    """Start an execution; one that already runs or ran under this name is what was wanted."""
    client = clients.state_machines()
    try:
        client.start_execution(stateMachineArn=arn, name=name, input=json.dumps(state))
    except client.exceptions.ExecutionAlreadyExists:
        return


def stop_machine(arn: str, name: str, cause: str) -> None:
    """Stop an execution by its name; one that has ended or never was is what was wanted."""
    client = clients.state_machines()
    execution = arn.replace(":stateMachine:", ":execution:") + f":{name}"
    try:
        client.stop_execution(executionArn=execution, error="Cancelled", cause=cause)
    except client.exceptions.ExecutionDoesNotExist:
        return
