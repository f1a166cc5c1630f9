"""Lambda's SQS event source: reads a queue in batches, and keeps what the function says it could not do."""

import json
import logging
import threading
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from local.lambdas.model import REGION, Outcome
from local.lambdas.service import LambdaService
from local.services import AwsServices, queue_arn

if TYPE_CHECKING:
    from mypy_boto3_sqs import SQSClient

log = logging.getLogger("local.poller")

POLL_SECONDS = 0.2
RETRY_SECONDS = 1
"""A failed message comes back after this. In AWS it is the queue's visibility timeout."""


def batch_event(messages: list[Any], queue: str) -> dict[str, Any]:
    """Build what Lambda's event source sends for received messages."""
    return {
        "Records": [
            {
                "messageId": message["MessageId"],
                "receiptHandle": message["ReceiptHandle"],
                "body": message["Body"],
                "attributes": message["Attributes"],
                "messageAttributes": message.get("MessageAttributes", {}),
                "md5OfBody": message["MD5OfBody"],
                "eventSource": "aws:sqs",
                "eventSourceARN": queue_arn(queue),
                "awsRegion": REGION,
            }
            for message in messages
        ]
    }


def failed_ids(outcome: Outcome, ids: set[str]) -> set[str]:
    """Return the messages that stay in the queue: those named, or all where the answer is none that Lambda takes."""
    if outcome.error or outcome.condition != "done":
        return ids
    answer = json.loads(outcome.payload)
    if not isinstance(answer, dict) or not answer.get("batchItemFailures"):
        return set()
    failures = answer["batchItemFailures"]
    if not isinstance(failures, list):
        return ids
    named = {str(failure.get("itemIdentifier")) if isinstance(failure, dict) else "" for failure in failures}
    return named if named <= ids else ids


class Poller:
    """Feeds one function from one queue in a thread."""

    def __init__(self, aws: AwsServices, lambdas: LambdaService, function: str, queue: str, batch_size: int) -> None:
        self._aws = aws
        self._lambdas = lambdas
        self._function = function
        self._queue = queue
        self._batch_size = min(batch_size, 10)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name=f"{queue}-poller", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def stop(self) -> None:
        """Read no more; what is running comes back to the queue by itself."""
        self._stop.set()
        self._thread.join(timeout=5)

    def _run(self) -> None:
        client: SQSClient = self._aws.client("sqs")
        url = self._aws.queue_url(self._queue)
        while not self._stop.is_set():
            try:
                busy = self._poll(client, url)
            except (BotoCoreError, ClientError):
                log.exception("the queue could not be read: %s", self._queue)
                busy = False
            if not busy:
                self._stop.wait(POLL_SECONDS)

    def _poll(self, client: "SQSClient", url: str) -> bool:
        timeout = self._lambdas.pools[self._function].spec.timeout_seconds
        received = client.receive_message(
            QueueUrl=url,
            MaxNumberOfMessages=self._batch_size,
            VisibilityTimeout=int(timeout) + 10,
            AttributeNames=["All"],
            MessageAttributeNames=["All"],
        )
        messages = received.get("Messages", [])
        if not messages:
            return False
        future = self._lambdas.invoke(self._function, batch_event(messages, self._queue))
        failed = failed_ids(future.result(), {message["MessageId"] for message in messages})
        for message in messages:
            handle = message["ReceiptHandle"]
            if message["MessageId"] not in failed:
                client.delete_message(QueueUrl=url, ReceiptHandle=handle)
            elif not self._stop.is_set():
                client.change_message_visibility(QueueUrl=url, ReceiptHandle=handle, VisibilityTimeout=RETRY_SECONDS)
        return True
