"""The whole local stack, with asynchronous deliveries delayed, reordered and duplicated, and real clients."""

import json
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo
from psycopg.rows import dict_row

from local.client import Client
from local.demo import DEMO_JOB_SEEKER, DEMO_RECRUITER
from local.faults import DeliveryRule
from local.stack import Stack
from local.tokens import token_for
from rolecall.db.bootstrap import DATABASE
from rolecall.identity import Caller

CALLS = Path(__file__).parents[1] / "infra" / "calls.json"
"""What functions call in the functional tests; tests/infra asks of each call whether the role in AWS allows it."""
KNOWN_CALLS = {tuple(call) for call in json.loads(CALLS.read_text())}


@pytest.fixture(scope="package")
def running() -> Iterator[Stack]:
    """One stack for all functional tests."""
    with tempfile.TemporaryDirectory(prefix="rolecall-") as folder:
        stack = Stack(Path(folder), port=0, rule=DeliveryRule(seed=7), fsync=False)
        with stack:
            yield stack
            unknown = {tuple(call) for call in stack.recorder.noted} - KNOWN_CALLS
            assert not unknown, f"add to {CALLS.name}, and grant it in infra: {sorted(unknown)}"


@pytest.fixture
def stack(running: Stack) -> Iterator[Stack]:
    """The stack; afterwards no invocation is left and no handler left a thread running."""
    running.bedrock.script.clear()
    running.bedrock.requests.clear()
    running.bedrock.side_requests.clear()
    running.bedrock.chunk_delay = 0.0
    yield running
    running.bedrock.script.clear()
    assert running.wait_idle(20)
    assert running.leaks == []


@pytest.fixture
def connect(stack: Stack) -> Iterator[Callable[..., Client]]:
    """Open clients that are closed afterwards."""
    clients: list[Client] = []

    def open_client(caller: Caller = DEMO_RECRUITER) -> Client:
        client = Client(stack.ws_url, token_for(caller, stack.token_secret))
        client.connect()
        clients.append(client)
        return client

    yield open_client
    for client in clients:
        client.close()


@pytest.fixture
def recruiter(connect: Callable[..., Client]) -> Client:
    return connect()


@pytest.fixture
def job_seeker(connect: Callable[..., Client]) -> Client:
    return connect(DEMO_JOB_SEEKER)


@pytest.fixture
def conversation(recruiter: Client) -> str:
    """A new conversation of the recruiter's."""
    made: str = recruiter.request("createConversation")["conversation"]["conversationId"]
    return made


Rows = Callable[..., list[dict[str, Any]]]


@pytest.fixture
def rows(stack: Stack) -> Rows:
    """Look into the database past every policy."""
    url = make_conninfo(stack.superuser_url, dbname=DATABASE)

    def select(query: str, **values: Any) -> list[dict[str, Any]]:
        with psycopg.connect(url, row_factory=dict_row) as conn:
            return conn.execute(query, values).fetchall()

    return select
