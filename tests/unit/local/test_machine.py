import json
import time
import uuid

import pytest
from botocore.exceptions import ClientError

from local.environment import MACHINE_ARN
from rolecall.protocol.limits import STATE_BYTES
from tests.fakes.waiting import eventually


@pytest.fixture
def client(stack):
    return stack.client("stepfunctions")


def create(client, states, start):
    name = f"m{uuid.uuid4().hex[:8]}"
    definition = json.dumps({"StartAt": start, "States": states})
    role = "arn:aws:iam::123456789012:role/test"
    return client.create_state_machine(name=name, definition=definition, roleArn=role)["stateMachineArn"]


def run(client, arn, event):
    execution = client.start_execution(stateMachineArn=arn, input=json.dumps(event))["executionArn"]

    def ended():
        seen = client.describe_execution(executionArn=execution)
        return seen if seen["status"] != "RUNNING" else None

    return eventually(ended)


def a_task(**more):
    return {
        "Type": "Task",
        "Resource": "arn:aws:states:::lambda:invoke",
        "Parameters": {"FunctionName": "rolecall-tools", "Payload.$": "$"},
        **more,
    }


def a_map(task):
    return {
        "Type": "Map",
        "ItemsPath": "$",
        "MaxConcurrency": 10,
        "ItemProcessor": {"ProcessorConfig": {"Mode": "INLINE"}, "StartAt": "T", "States": {"T": task}},
        "End": True,
    }


def test_a_map_invokes_the_function_for_each_item_in_order(client):
    arn = create(client, {"M": a_map(a_task(OutputPath="$.Payload", End=True))}, "M")
    ended = run(client, arn, [{"answer": number, "sleep": 0.1} for number in range(6)])
    assert json.loads(ended["output"]) == list(range(6))


def test_a_caught_error_carries_the_functions_error_type(client):
    states = {
        "T": a_task(Catch=[{"ErrorEquals": ["ValueError"], "Next": "Caught"}], End=True),
        "Caught": {"Type": "Pass", "End": True},
    }
    ended = run(client, create(client, states, "T"), {"raise": "no"})
    assert json.loads(ended["output"])["Error"] == "ValueError"


def test_a_retry_runs_the_function_again(client, tmp_path):
    retry = [{"ErrorEquals": ["ValueError"], "IntervalSeconds": 1, "MaxAttempts": 1}]
    ended = run(
        client,
        create(client, {"T": a_task(Retry=retry, End=True)}, "T"),
        {"raise": "no", "touch": str(tmp_path / "ran")},
    )
    assert ended["status"] == "FAILED"
    assert len((tmp_path / "ran").read_text().splitlines()) == 2


def test_a_task_that_takes_too_long_times_out(client):
    ended = run(client, create(client, {"T": a_task(TimeoutSeconds=1, End=True)}, "T"), {"sleep": 3})
    assert ended["error"] == "States.Timeout"


def test_a_stopped_execution_goes_no_further(client, tmp_path):
    states = {
        "T": a_task(Next="Mark"),
        "Mark": {
            **a_task(End=True),
            "Parameters": {"FunctionName": "rolecall-tools", "Payload": {"touch": str(tmp_path / "ran")}},
        },
    }
    execution = client.start_execution(stateMachineArn=create(client, states, "T"), input='{"sleep": 1}')
    time.sleep(0.3)
    client.stop_execution(executionArn=execution["executionArn"], cause="cancelled")
    described = {"executionArn": execution["executionArn"]}
    # moto says so once the task that runs has ended; AWS says so at once
    eventually(lambda: client.describe_execution(**described)["status"] == "ABORTED")
    time.sleep(0.2)
    assert not (tmp_path / "ran").exists()


def test_the_turns_machine_runs_and_a_lost_hop_fails_the_turn(client):
    ended = run(client, MACHINE_ARN, {"turn": "t", "hop": 1, "calls": ["a", "b"]})
    assert ended["error"] == "TurnFailed"


def test_a_second_execution_of_the_same_name_does_not_run(client):
    name = uuid.uuid4().hex
    first = client.start_execution(stateMachineArn=MACHINE_ARN, name=name, input='{"calls": []}')
    with pytest.raises(client.exceptions.ExecutionAlreadyExists):
        client.start_execution(stateMachineArn=MACHINE_ARN, name=name, input='{"calls": [1]}')
    assert first["executionArn"].endswith(name)


def test_input_over_the_states_limit_is_refused(client):
    with pytest.raises(ClientError) as refused:
        client.start_execution(stateMachineArn=MACHINE_ARN, input=json.dumps("x" * (STATE_BYTES - 1)))
    assert refused.value.response["Error"]["Code"] == "ValidationException"


def test_input_at_the_states_limit_is_taken(client):
    text = json.dumps("x" * (STATE_BYTES - 2))
    assert client.start_execution(stateMachineArn=MACHINE_ARN, name=uuid.uuid4().hex, input=text)
