"""Everything that a deploy would make, on this machine: started in order, stopped in reverse."""

import json
import os
import threading
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, Self

from functions.manifest import FUNCTIONS, QUEUES, Function
from local.data import DataFolder, StackNote
from local.demo import ensure_demo
from local.environment import OFFLINE_MODEL, PREFIX, Endpoints, function_spec
from local.faults import DeliveryRule
from local.gateway.connections import Clock
from local.gateway.server import Gateway, PortTaken
from local.lambdas.model import Outcome
from local.lambdas.service import LambdaService
from local.objects import ObjectStore
from local.page import Page
from local.paths import CHECKOUT
from local.poller import Poller
from local.postgres import EmbeddedPostgres
from local.recorder import Recorder
from local.scheduler import Scheduler
from local.secrets import load_secrets
from local.services import AwsServices

DEFAULT_PORT = 8700
PREWARMED = ("front", "authorize", "turn", "actions", "tools")
DEPLOY = ("migrate", "seed")
"""Functions that a deploy invokes, in this order, before it lets anyone in."""
DEPLOY_SECONDS = 400
MACHINE_FILE = CHECKOUT / "functions" / "chat" / "turn.asl.json"
MACHINE_NAMES = {
    "TurnFunction": f"{PREFIX}turn",
    "ToolsFunction": f"{PREFIX}tools",
    "TurnFailedFunction": f"{PREFIX}turn-failed",
}


class StackError(Exception):
    """The stack cannot start; the message says why in one sentence."""


class Stack:
    """The local AWS. One at a time in a process, because moto's state belongs to the process."""

    def __init__(
        self,
        data_dir: Path,
        *,
        port: int = DEFAULT_PORT,
        functions: Iterable[Function] = FUNCTIONS,
        rule: DeliveryRule | None = None,
        env: Mapping[str, Mapping[str, str]] | None = None,
        postgres: bool = True,
        fsync: bool = True,
        bedrock: bool = True,
        machine_file: Path | None = MACHINE_FILE,
        max_workers: int = 4,
        clock: Clock | None = None,
    ) -> None:
        """Describe a stack.

        Args:
            data_dir: Where everything that outlives it is kept.
            port: Port for people's sockets; 0 takes any.
            functions: What to run; the manifest's by default.
            rule: What goes wrong with asynchronous invocations; nothing by default.
            env: More variables by function name; those under "*" are for all.
            postgres: Whether to start the database (and then to migrate and seed).
            fsync: Whether the database survives a power cut; tests need not.
            bedrock: Whether to start the local model endpoint.
            machine_file: Definition of the turn's state machine, if there is one.
            max_workers: Most workers of one function.
            clock: Time as the gateway sees it, for its idle and age limits.
        """
        self.data = DataFolder(data_dir)
        self.functions = tuple(functions)
        self._port = port
        self._rule = rule
        self._env = env or {}
        self._postgres = EmbeddedPostgres(data_dir, fsync=fsync) if postgres else None
        self._with_bedrock = bedrock
        self._machine_file = machine_file
        self._max_workers = max_workers
        self._clock = clock
        self._undo = ExitStack()
        self.recorder = Recorder()
        self.aws = AwsServices()
        self.aws.wrappers.append(self.recorder.middleware)
        self.objects = ObjectStore(self.data.path / "objects", self.aws)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def start(self) -> None:
        """Start everything; on return a client may connect.

        Raises:
            StackError: something it needs cannot be had; whatever had started is stopped again.
            AlreadyRunning: another stack uses the data folder.
        """
        self.data.lock()
        self._undo.callback(self.data.unlock)
        try:
            self._start()
        except PortTaken as exc:
            self.stop()
            raise StackError(str(exc)) from exc
        except BaseException:
            self.stop()
            raise

    def stop(self) -> None:
        """Stop everything, the last started first."""
        self._undo.close()

    def _start(self) -> None:
        self.data.remove_note()
        self.page = self._describe_page()
        self.gateway = Gateway(self._port, self._invoke, clock=self._clock, page=self.page, recorder=self.recorder)
        self._undo.callback(self.gateway.stop)
        self.gateway.bind()
        database_urls = self._start_services()
        self._start_lambdas(database_urls)
        with ThreadPoolExecutor(1) as parallel:
            deployed = parallel.submit(self._deploy)
            self._create_resources()
            deployed.result()
        for name in PREWARMED:
            self.lambdas.prewarm(f"{PREFIX}{name}")
        self._start_feeders()
        self._undo.callback(self.gateway.stop)  # first of all, while functions can still hear of it
        self.gateway.open()
        note = StackNote(self.ws_url, self.http_url, os.getpid(), str(self.data.path / "secrets.json"))
        self.data.write_note(note)
        self._undo.callback(self.data.remove_note)

    def _describe_page(self) -> Page:
        model = os.environ.get("MODEL") or OFFLINE_MODEL
        return Page(
            token_secret=lambda: self.token_secret,
            uploads_url=lambda: self.aws.url,
            model=model,
            offline=model == OFFLINE_MODEL,
        )

    def _start_services(self) -> dict[str, str]:
        with ThreadPoolExecutor(3) as parallel:
            database = parallel.submit(self._start_postgres)
            model = parallel.submit(self._start_bedrock)
            self._begin(self.aws)
            self._bedrock_url = model.result()
            return database.result()

    def _start_postgres(self) -> dict[str, str]:
        if self._postgres is None:
            return {}
        self._begin(self._postgres)
        roles = {function.database_role for function in self.functions} - {None}
        return {str(role): self._postgres.url(str(role)) for role in roles}

    def _start_bedrock(self) -> str | None:
        if not self._with_bedrock:
            return None
        from local.bedrock.server import BedrockServer

        self.bedrock = BedrockServer("127.0.0.1", 0)
        self.bedrock.recorder = self.recorder
        self._begin(self.bedrock)
        return self.bedrock.url

    def _begin(self, part: Any) -> None:
        self._undo.callback(part.stop)
        part.start()

    def _start_lambdas(self, database_urls: Mapping[str, str]) -> None:
        # Its address is in the environments of its own workers, so the specs come after it listens.
        self.lambdas = LambdaService(
            send_to_queue=self.aws.send_to_queue,
            rule=self._rule,
            max_workers=self._max_workers,
            recorder=self.recorder,
        )
        self._begin(self.lambdas)
        endpoints = Endpoints(
            aws=self.aws.url,
            lambdas=self.lambdas.url,
            connections=self.gateway.management_url,
            bedrock=self._bedrock_url,
            database_urls=database_urls,
        )
        self.lambdas.add(
            function_spec(
                function,
                endpoints,
                data=self.data.path,
                overrides={**self._env.get("*", {}), **self._env.get(function.name, {})},
            )
            for function in self.functions
        )
        for name in DEPLOY:
            self.lambdas.prewarm(f"{PREFIX}{name}")

    def _create_resources(self) -> None:
        self.aws.create_table()
        self.aws.create_queues(QUEUES)
        self.objects.start()
        self._undo.callback(self.objects.stop)
        if self._machine_file is not None:
            self.aws.create_machine(self.lambdas.url, self._machine_file, MACHINE_NAMES)
            self._undo.callback(self.aws.stop_executions)

    def _deploy(self) -> None:
        if self._postgres is None:
            return
        known = {function.name for function in self.functions}
        for name in DEPLOY:
            if name in known:
                outcome = self.invoke(name, {})
                if outcome.error:
                    log = self.data.path / "logs" / f"{PREFIX}{name}.log"
                    raise StackError(f"{name} failed: {_message(outcome)} See {log}.")
        ensure_demo(self._postgres.url("accounts"))

    def _start_feeders(self) -> None:
        for function in self.functions:
            name = f"{PREFIX}{function.name}"
            if function.reads_queue is not None:
                self._begin(Poller(self.aws, self.lambdas, name, function.reads_queue, function.batch_size))
            if function.every_seconds is not None:
                self._begin(Scheduler(self.lambdas.send_event, name, function.every_seconds))

    def _invoke(self, function: str, event: object) -> "Future[Outcome]":
        return self.lambdas.invoke(f"{PREFIX}{function}", event)

    @property
    def ws_url(self) -> str:
        """Where people's sockets connect."""
        return f"ws://127.0.0.1:{self.gateway.port}"

    @property
    def http_url(self) -> str:
        """Where the page and `/health` are."""
        return f"http://127.0.0.1:{self.gateway.port}"

    @property
    def token_secret(self) -> str:
        """What callers' tokens are signed with (HS256)."""
        return load_secrets(self.data.path).token_secret

    def database_url(self, role: str) -> str:
        """Return the connection string of a database role."""
        if self._postgres is None:
            raise StackError("This stack has no database.")
        return self._postgres.url(role)

    @property
    def superuser_url(self) -> str:
        """The database's superuser, for looking past every policy."""
        if self._postgres is None:
            raise StackError("This stack has no database.")
        return self._postgres.superuser_url

    def client(self, service: str) -> Any:
        """Return a boto3 client of S3, SQS, DynamoDB or Step Functions."""
        return self.aws.client(service)

    def invoke(self, name: str, event: object, timeout: float = DEPLOY_SECONDS) -> Outcome:
        """Invoke a function by its name in the manifest and wait for it."""
        return self._invoke(name, event).result(timeout)

    def wait_idle(self, timeout: float = 10) -> bool:
        """Wait until no asynchronous invocation is queued or running; say whether that came about."""
        return self.lambdas.events.wait_idle(timeout)

    def kill_worker(self, name: str) -> bool:
        """Kill a worker in the middle of an invocation of a function; say whether there was one."""
        return self.lambdas.pools[f"{PREFIX}{name}"].kill_busy()

    @contextmanager
    def database_asleep(self, seconds: float) -> Iterator[None]:
        """Refuse every connection to the database for so long, as one that was paused does while it wakes."""
        if self._postgres is None:
            raise StackError("This stack has no database.")
        self._postgres.stop()
        waking = threading.Timer(seconds, self._postgres.start)
        waking.start()
        try:
            yield
        finally:
            waking.join()

    @property
    def leaks(self) -> list[tuple[str, tuple[str, ...]]]:
        """Threads that handlers left running: pairs of function and thread names, one an invocation."""
        return [(name, names) for name, pool in self.lambdas.pools.items() for names in pool.leaks]


def _message(outcome: Outcome) -> str:
    said = json.loads(outcome.payload)
    return str(said.get("errorMessage", said)) if isinstance(said, dict) else str(said)
