"""S3, SQS, DynamoDB and Step Functions: one moto server in this process, and what a deploy creates in them."""

import json
import logging
import threading
import urllib.request
from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import boto3
from botocore.config import Config

from functions.manifest import LIVE_TABLE, TURN_MACHINE
from local import machine
from local.atomic import AtomicTable
from local.environment import MACHINE_ARN
from local.lambdas.model import ACCOUNT, REGION
from local.state_limit import StateLimit

if TYPE_CHECKING:
    from _typeshed.wsgi import WSGIApplication
    from werkzeug.serving import BaseWSGIServer

MAX_RECEIVES = 3
"""Receives of a message before it goes to the dead-letter queue."""
VISIBILITY_SECONDS = 30

_running = threading.Lock()


class AwsServices:
    """The moto server. Its state belongs to the process, so there is one at a time."""

    def __init__(self) -> None:
        self.url = ""
        self.wrappers: list[Callable[[WSGIApplication], WSGIApplication]] = [StateLimit, AtomicTable]
        """WSGI middleware around moto, the last one outermost."""
        self._server: BaseWSGIServer | None = None
        self._clients: dict[str, Any] = {}
        self._clients_lock = threading.Lock()

    def start(self) -> None:
        """Listen on a free port, with nothing in any service.

        Raises:
            RuntimeError: another one runs in this process.
        """
        if not _running.acquire(blocking=False):
            raise RuntimeError("A stack already runs in this process; stop it first.")
        from moto.moto_server.werkzeug_app import (
            DomainDispatcherApplication,
            MotoRequestHandler,
            create_backend_app,
        )
        from werkzeug.serving import make_server

        logging.getLogger("werkzeug").setLevel(logging.ERROR)
        logging.getLogger("moto").setLevel(logging.CRITICAL)  # it logs every caught task failure as an error
        app: Any = DomainDispatcherApplication(create_backend_app)
        app.get_backend_for_host = cache(app.get_backend_for_host)  # it lists moto's folder at each request
        for wrap in self.wrappers:
            app = wrap(app)
        self._server = make_server(
            "127.0.0.1",
            0,
            app,
            threaded=True,
            request_handler=MotoRequestHandler,
        )
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.reset()

    def reset(self) -> None:
        """Empty every service."""
        request = urllib.request.Request(f"{self.url}/moto-api/reset", method="POST")  # noqa: S310 - our own server
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        opener.open(request, timeout=10).close()

    def stop(self) -> None:
        """Stop listening."""
        for client in self._clients.values():
            client.close()
        if self._server is None:
            return
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
        self._server = None
        _running.release()

    def client(self, service: str) -> Any:
        """Return a client of one of the services; threads may share it."""
        with self._clients_lock:
            if service not in self._clients:
                self._clients[service] = boto3.client(
                    service,  # type: ignore[call-overload]
                    endpoint_url=self.url,
                    region_name=REGION,
                    aws_access_key_id="local",
                    aws_secret_access_key="local",
                    config=Config(proxies={}, retries={"total_max_attempts": 2}),
                )
            return self._clients[service]

    def create_table(self) -> None:
        """Create the live table."""
        client = self.client("dynamodb")
        client.create_table(
            TableName=LIVE_TABLE,
            KeySchema=[{"AttributeName": "pk", "KeyType": "HASH"}, {"AttributeName": "sk", "KeyType": "RANGE"}],
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in ("pk", "sk")],
            BillingMode="PAY_PER_REQUEST",
        )
        client.update_time_to_live(
            TableName=LIVE_TABLE, TimeToLiveSpecification={"Enabled": True, "AttributeName": "expires_at"}
        )

    def create_queues(self, names: Iterable[str]) -> None:
        """Create queues, each with its dead-letter queue."""
        client = self.client("sqs")
        for name in names:
            client.create_queue(QueueName=f"{name}-dlq")
            redrive = {"deadLetterTargetArn": queue_arn(f"{name}-dlq"), "maxReceiveCount": MAX_RECEIVES}
            attributes = {"RedrivePolicy": json.dumps(redrive), "VisibilityTimeout": str(VISIBILITY_SECONDS)}
            client.create_queue(QueueName=name, Attributes=attributes)

    def create_machine(self, lambda_url: str, definition: Path, names: dict[str, str]) -> None:
        """Create the turn's state machine, its tasks invoked at `lambda_url`."""
        machine.run_tasks_on(lambda_url)
        machine.create_machine(self.client("stepfunctions"), TURN_MACHINE, definition.read_text(), names)

    def stop_executions(self) -> None:
        """Stop what runs in the state machine, so that it does not go on in the next stack of this process."""
        client = self.client("stepfunctions")
        listed = client.list_executions(stateMachineArn=MACHINE_ARN, statusFilter="RUNNING")
        for execution in listed["executions"]:
            client.stop_execution(executionArn=execution["executionArn"])

    def queue_url(self, name: str) -> str:
        """Return the address of a queue."""
        return f"{self.url}/{ACCOUNT}/{name}"

    def send_to_queue(self, name: str, content: object) -> None:
        """Send JSON to a queue."""
        self.client("sqs").send_message(QueueUrl=self.queue_url(name), MessageBody=json.dumps(content))


def queue_arn(name: str) -> str:
    """Return a queue's ARN."""
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{name}"
