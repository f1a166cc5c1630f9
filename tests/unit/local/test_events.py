import itertools
import json
import time

import pytest

from local.faults import DeliveryRule
from tests.fakes.waiting import eventually


def received(stack, queue, recognise):
    client = stack.client("sqs")

    def look():
        found = client.receive_message(QueueUrl=stack.aws.queue_url(queue), MaxNumberOfMessages=10)
        for message in found.get("Messages", []):
            client.delete_message(QueueUrl=stack.aws.queue_url(queue), ReceiptHandle=message["ReceiptHandle"])
        return [record for record in (json.loads(m["Body"]) for m in found.get("Messages", [])) if recognise(record)]

    return eventually(look)


def send_event(client, name, event):
    answer = client.invoke(FunctionName=f"rolecall-{name}", InvocationType="Event", Payload=json.dumps(event))
    assert answer["StatusCode"] == 202
    assert answer["Payload"].read() == b""
    return answer["ResponseMetadata"]["RequestId"]


def test_an_event_is_accepted_at_once_and_run_later(stack, lambda_client, tmp_path):
    began = time.monotonic()
    send_event(lambda_client, "tools", {"sleep": 3, "touch": str(tmp_path / "ran")})
    assert time.monotonic() - began < 2
    assert stack.wait_idle()
    assert (tmp_path / "ran").exists()


def test_a_failed_event_goes_to_the_on_failure_queue_in_lambdas_shape(stack, lambda_client, tmp_path):
    event = {"raise": "broken", "touch": str(tmp_path / "ran")}
    request_id = send_event(lambda_client, "turn", event)
    (record,) = received(
        stack, "rolecall-turn-failed", lambda found: found["requestContext"]["requestId"] == request_id
    )
    assert record["version"] == "1.0"
    assert record["requestContext"] == {
        "requestId": request_id,
        "functionArn": "arn:aws:lambda:eu-north-1:123456789012:function:rolecall-turn:$LATEST",
        "condition": "RetriesExhausted",
        "approximateInvokeCount": 1,
    }
    assert record["requestPayload"] == event
    assert record["responseContext"] == {
        "statusCode": 200,
        "executedVersion": "$LATEST",
        "functionError": "Unhandled",
    }
    assert record["responsePayload"]["errorMessage"] == "broken"
    assert len((tmp_path / "ran").read_text().splitlines()) == 1


def test_a_failed_event_is_retried_as_often_as_the_manifest_says(stack, lambda_client, tmp_path):
    request_id = send_event(lambda_client, "retried", {"raise": "broken", "touch": str(tmp_path / "ran")})
    (record,) = received(
        stack, "rolecall-actions-failed", lambda found: found["requestContext"]["requestId"] == request_id
    )
    assert record["requestContext"]["approximateInvokeCount"] == 2
    assert len((tmp_path / "ran").read_text().splitlines()) == 2


def test_an_event_that_is_too_old_is_not_run(stack, lambda_client, tmp_path):
    request_id = send_event(lambda_client, "short-lived", {"touch": str(tmp_path / "ran")})
    (record,) = received(
        stack, "rolecall-actions-failed", lambda found: found["requestContext"]["requestId"] == request_id
    )
    assert record["requestContext"]["condition"] == "EventAgeExceeded"
    assert "responsePayload" not in record
    assert not (tmp_path / "ran").exists()


def test_a_killed_worker_ends_the_event_in_the_on_failure_queue(stack, lambda_client):
    request_id = send_event(lambda_client, "turn", {"sleep": 8})
    eventually(lambda: stack.kill_worker("turn"))
    (record,) = received(
        stack, "rolecall-turn-failed", lambda found: found["requestContext"]["requestId"] == request_id
    )
    assert record["responsePayload"]["errorType"] == "Runtime.ExitError"


def test_the_same_seed_gives_an_event_the_same_fate():
    one, other = DeliveryRule(7), DeliveryRule(7)
    mixed = [other.delays(name) for name in ["turn", "actions"] * 50][::2]
    assert [one.delays("turn") for _ in range(50)] == mixed


@pytest.mark.parametrize("seed", range(3))
def test_the_rule_delays_reorders_and_duplicates(seed):
    rule = DeliveryRule(seed)
    fates = [rule.delays("turn") for _ in range(200)]
    assert {len(fate) for fate in fates} == {1, 2}
    assert all(0 <= delay <= 0.2 for fate in fates for delay in fate)
    assert any(now[0] > after[0] + 0.05 for now, after in itertools.pairwise(fates))


def test_a_duplicated_event_runs_twice_with_one_request_id(stack, lambda_client, tmp_path, monkeypatch):
    monkeypatch.setattr(stack.lambdas.events, "_rule", DeliveryRule(1, duplicates=1))
    send_event(lambda_client, "tools", {"touch": str(tmp_path / "ran")})
    assert stack.wait_idle()
    assert len((tmp_path / "ran").read_text().splitlines()) == 2
