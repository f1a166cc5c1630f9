"""A live table over HTTP, as the functions see it."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from local.services import AwsServices
from rolecall.aws.live import LiveTable
from rolecall.ids import ConversationId, TurnId, UserId
from rolecall.turns.models import TurnRef
from tests.fakes.sockets import FakeSockets


@pytest.fixture(scope="package")
def services() -> Iterator[AwsServices]:
    aws = AwsServices()
    aws.start()
    aws.create_table()
    yield aws
    aws.stop()


@pytest.fixture
def live(services: AwsServices) -> LiveTable:
    return LiveTable("rolecall-live", services.client("dynamodb"))


@pytest.fixture
def sockets() -> FakeSockets:
    return FakeSockets()


@pytest.fixture
def turn() -> TurnRef:
    return a_turn()


def a_turn(conversation: ConversationId | None = None) -> TurnRef:
    return TurnRef(TurnId(uuid4()), conversation or ConversationId(uuid4()), UserId(uuid4()), None)
