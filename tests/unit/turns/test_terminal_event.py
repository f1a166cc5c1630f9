"""How a turn that has ended is told, from its row."""

from uuid import uuid4

import pytest

from rolecall.conversations.models import Message, MessageStatus, Role
from rolecall.errors import ErrorCode
from rolecall.protocol.events import ChatError
from rolecall.turns.finish import terminal_event


@pytest.mark.parametrize(
    ("stored", "told"),
    [("CANCELLED", ErrorCode.CANCELLED), ("OF_ANOTHER_RELEASE", ErrorCode.UNKNOWN), (None, "UNKNOWN")],
)
def test_a_failed_turn_is_told_whatever_code_its_row_has(stored: str | None, told: str) -> None:
    row = Message.new(uuid4(), uuid4(), Role.ASSISTANT, status=MessageStatus.FAILED, error_code=stored, content="Half")
    event = terminal_event(row)
    assert isinstance(event, ChatError)
    assert (event.code, event.content, bool(event.recovery_hint)) == (told, "Half", True)
