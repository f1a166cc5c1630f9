import json
import uuid

import pytest

from local.lambdas.model import Outcome
from local.objects import UPLOADS_QUEUE
from local.poller import failed_ids
from tests.fakes.waiting import eventually


def send(stack, body):
    stack.client("sqs").send_message(QueueUrl=stack.aws.queue_url(UPLOADS_QUEUE), MessageBody=body)


@pytest.fixture
def deliveries_of(noted):
    return lambda body: noted(lambda record: record.get("body") == body)


def test_a_message_reaches_its_function_in_the_event_sources_shape(stack, deliveries_of):
    body = f"good {uuid.uuid4()}"
    send(stack, body)
    (record,) = eventually(lambda: deliveries_of(body))
    assert record["eventSource"] == "aws:sqs"
    assert record["eventSourceARN"] == f"arn:aws:sqs:eu-north-1:123456789012:{UPLOADS_QUEUE}"
    assert record["awsRegion"] == "eu-north-1"
    assert record["attributes"]["ApproximateReceiveCount"] == "1"
    assert int(record["attributes"]["SentTimestamp"]) > 1_600_000_000_000
    assert record["messageAttributes"] == {}
    for name in ("messageId", "receiptHandle", "md5OfBody"):
        assert record[name]


def test_only_the_failed_message_of_a_batch_comes_back_and_dies_after_three_receives(stack, deliveries_of):
    bad, good = f"bad {uuid.uuid4()}", f"good {uuid.uuid4()}"
    send(stack, bad)
    send(stack, good)
    url = stack.aws.queue_url(f"{UPLOADS_QUEUE}-dlq")
    eventually(
        lambda: [
            message
            for message in stack.client("sqs").receive_message(QueueUrl=url).get("Messages", [])
            if message["Body"] == bad
        ],
        timeout=20,
    )
    counts = [record["attributes"]["ApproximateReceiveCount"] for record in deliveries_of(bad)]
    assert counts == ["1", "2", "3"]
    assert len(deliveries_of(good)) == 1


@pytest.mark.parametrize(
    ("answer", "failed"),
    [
        (None, set()),
        ({}, set()),
        ({"batchItemFailures": []}, set()),
        ({"batchItemFailures": [{"itemIdentifier": "a"}]}, {"a"}),
        ({"batchItemFailures": [{"itemIdentifier": "z"}]}, {"a", "b"}),
        ({"batchItemFailures": [{"itemIdentifier": ""}]}, {"a", "b"}),
        ({"batchItemFailures": [{"id": "a"}]}, {"a", "b"}),
        ({"batchItemFailures": "a"}, {"a", "b"}),
    ],
)
def test_which_messages_stay_in_the_queue(answer, failed):
    assert failed_ids(Outcome(payload=json.dumps(answer).encode()), {"a", "b"}) == failed


def test_a_function_that_fails_keeps_its_whole_batch():
    assert failed_ids(Outcome.of_failure("ValueError", "no"), {"a", "b"}) == {"a", "b"}


def test_a_schedule_invokes_its_function_again_and_again(stack, noted):
    def ticks():
        found = noted(lambda record: record.get("source") == "aws.events")
        return found if len(found) > 1 else None

    first, second = eventually(ticks)[:2]
    assert first["detail-type"] == "Scheduled Event"
    assert first["resources"] == ["arn:aws:events:eu-north-1:123456789012:rule/rolecall-tick"]
    assert first["detail"] == {}
    assert first["time"] < second["time"]
    assert first["id"] != second["id"]


def test_the_live_table_has_its_keys_and_its_ttl(stack):
    client = stack.client("dynamodb")
    table = client.describe_table(TableName="rolecall-live")["Table"]
    assert [(key["AttributeName"], key["KeyType"]) for key in table["KeySchema"]] == [("pk", "HASH"), ("sk", "RANGE")]
    ttl = client.describe_time_to_live(TableName="rolecall-live")["TimeToLiveDescription"]
    assert ttl == {"TimeToLiveStatus": "ENABLED", "AttributeName": "expires_at"}
