"""The items of turns that are not stored: one document a turn, one a call."""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final
from uuid import UUID

from rolecall.aws import packed
from rolecall.aws.live import Item, LiveTable, Write
from rolecall.conversations.ephemeral import partition
from rolecall.conversations.models import Message
from rolecall.identity import Caller
from rolecall.ids import ConversationId, TurnId
from rolecall.text import storable
from rolecall.tools.models import Call
from rolecall.turns.models import TurnRef
from rolecall.turns.outputs import with_outputs

if TYPE_CHECKING:
    from pydantic import TypeAdapter

TURN: Final = "TURN#"
_TRIES: Final = 10


@dataclass(frozen=True, slots=True)
class Written:
    """A turn as it is written down."""

    agent_id: UUID
    begun: float
    said: Message
    answer: Message


class TurnItems:
    """The items of one turn, and of the turns before it in a conversation that is not kept."""

    def __init__(self, live: LiveTable, turn: TurnRef, *, ttl: int) -> None:
        self.live, self.turn, self.ttl = live, turn, ttl
        self._pk = partition(turn.conversation_id, turn.caller)
        self._key = self._pk, f"{TURN}{turn.turn_id}"

    def read(self) -> Written | None:
        """The turn; None where it has not begun, or has expired."""
        found = packed.get(self.live, self._key)
        return _turns().validate_python(found[0]) if found else None

    def first(self, said: Message, answer: Message, agent_id: UUID) -> Write:
        """The write that makes the turn."""
        written = Written(agent_id, time.time(), said, answer)
        return packed.prepare(self.live, self._key, _plain(written), ttl=self.ttl)

    def change(self, change: Callable[[Written], Written | None]) -> Written | None:
        """Change the turn, whoever else does at the same time.

        Args:
            change: what it becomes; None leaves it as it is. Called again where another writer was faster.

        Returns:
            The turn afterwards; None where it was left, or is not there.
        """
        for _ in range(_TRIES):
            found = packed.get(self.live, self._key)
            changed = change(_turns().validate_python(found[0])) if found else None
            if changed is None or found is None:
                return None
            if packed.put(self.live, self._key, _plain(changed), ttl=self.ttl, over=found[1]):
                return changed
        raise TimeoutError("the turn's document is contended")

    def call(self, tool_call_id: str) -> Call | None:
        """A call, with its arguments and, once it has ended, its outcome."""
        found = packed.get(self.live, self._call_key(tool_call_id))
        return _calls().validate_python(found[0]) if found else None

    def put_call(self, call: Call) -> None:
        """Write a call down as it is now."""
        document = storable(_calls().dump_python(call, mode="json"))
        key = self._call_key(call.tool_call_id)
        for _ in range(_TRIES):
            item = self.live.get(*key)
            if packed.put(self.live, key, document, ttl=self.ttl, over=item):
                return
        raise TimeoutError("the call's document is contended")

    def calls(self) -> list[Call]:
        """Every call of the turn, in the order in which the model made them."""
        return calls_of(self.live, self._pk, self.turn.turn_id)

    def _call_key(self, tool_call_id: str) -> tuple[str, str]:
        return self._pk, f"{_calls_prefix(self.turn.turn_id)}{tool_call_id}"


def turns_of(live: LiveTable, conversation_id: ConversationId, caller: Caller) -> list[tuple[Item, Written]]:
    """The turns of a conversation that is not kept, in order of time, with the outcomes of their calls."""
    pk = partition(conversation_id, caller)
    found = [(item, _turns().validate_python(packed.unpack(live, item))) for item in packed.heads(live, pk, TURN)]
    found.sort(key=lambda pair: pair[1].begun)
    return [
        (item, replace(turn, answer=_with_outcomes(live, pk, turn.answer, 2 * n), said=_at(turn.said, 2 * n - 1)))
        for n, (item, turn) in enumerate(found, 1)
    ]


def messages_of(turns: Sequence[tuple[Item, Written]]) -> list[Message]:
    """Messages of turns, in order of time."""
    return [row for _, turn in turns for row in (turn.said, turn.answer)]


def calls_of(live: LiveTable, pk: str, turn_id: UUID) -> list[Call]:
    """Calls of a turn, in the order in which the model made them."""
    heads = packed.heads(live, pk, _calls_prefix(turn_id))
    calls = [_calls().validate_python(packed.unpack(live, item)) for item in heads]
    return sorted(calls, key=lambda call: (call.hop, call.position))


def _with_outcomes(live: LiveTable, pk: str, answer: Message, position: int) -> Message:
    answer = _at(answer, position)
    if all("success" in call for call in answer.tool_calls):
        return answer
    return replace(answer, tool_calls=with_outputs(answer.tool_calls, calls_of(live, pk, TurnId(answer.id))))


def _at(message: Message, position: int) -> Message:
    return replace(message, position=position)


def _calls_prefix(turn_id: UUID) -> str:
    return f"CALL#{turn_id}#"


def _plain(written: Written) -> object:
    return storable(_turns().dump_python(written, mode="json"))


@cache
def _turns() -> "TypeAdapter[Written]":
    from pydantic import TypeAdapter

    return TypeAdapter(Written)


@cache
def _calls() -> "TypeAdapter[Call]":
    from pydantic import TypeAdapter

    return TypeAdapter(Call)
