"""Calls and their results: each call is answered in the next message, once, under an id of its own."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from rolecall.llm.repair import words
from rolecall.llm.repair.blocks import Block, Message, finished
from rolecall.llm.tool_results import legal_call_id, unique_call_id


@dataclass(slots=True)
class _Call:
    """A call, the legal id that it gets, and its result once that is found."""

    given_id: str
    legal_id: str
    message: int
    result: Mapping[str, Any] | None = None
    found_at: int = -1

    @property
    def block(self) -> Block:
        """The result under the call's legal id; a synthetic one where there is none."""
        if self.result is None:
            missing = [{"text": words.INTERRUPTED}]
            return {"toolResult": {"toolUseId": self.legal_id, "content": missing, "status": "error"}}
        return {"toolResult": {**self.result, "toolUseId": self.legal_id}}


@dataclass(slots=True)
class _Book:
    """All calls of a conversation, in order."""

    calls: list[_Call] = field(default_factory=list)
    taken: set[str] = field(default_factory=set)
    by_id: dict[str, list[_Call]] = field(default_factory=dict)

    def enter(self, given_id: str, message: int) -> _Call:
        """Note a call."""
        call = _Call(given_id, unique_call_id(legal_call_id(given_id), self.taken), message)
        self.taken.add(call.legal_id)
        self.calls.append(call)
        self.by_id.setdefault(given_id, []).append(call)
        return call

    def answer(self, result: Mapping[str, Any], message: int) -> None:
        """Give a result to the nearest call before it that has its id and no result; drop it where there is none."""
        open_calls = [call for call in self.by_id.get(result["toolUseId"], ()) if call.result is None]
        if open_calls:
            nearest = max(call.message for call in open_calls)
            call = next(call for call in open_calls if call.message == nearest)
            call.result, call.found_at = result, message

    def of(self, message: int) -> list[_Call]:
        """The calls of one message."""
        return [call for call in self.calls if call.message == message]


def paired(messages: Sequence[Message]) -> list[Message]:
    """Pair calls with results in alternating messages.

    A result that stands elsewhere moves to its place; a call without one gets a synthetic one; a result without a call
    goes.
    """
    book = _read(messages)
    rebuilt: list[Message] = []
    waiting: list[_Call] = []
    calls = iter(book.calls)
    for i, message in enumerate(messages):
        others = [block for block in message["content"] if "toolResult" not in block]
        if message["role"] == "assistant":
            rebuilt.append({"role": "assistant", "content": finished(_renamed(others, calls))})
            waiting = [call for call in book.calls if call.message == i]
        else:
            rebuilt.append({"role": "user", "content": finished(_answers(message["content"], others, waiting, i))})
            waiting = []
    if waiting:
        rebuilt.append({"role": "user", "content": [call.block for call in waiting]})
    return rebuilt


def _read(messages: Sequence[Message]) -> _Book:
    book = _Book()
    for i, message in enumerate(messages):
        for block in message["content"]:
            if "toolUse" in block:
                book.enter(block["toolUse"]["toolUseId"], i)
            elif "toolResult" in block:
                book.answer(block["toolResult"], i)
    return book


def _renamed(content: Iterable[Block], calls: Iterable[_Call]) -> list[Block]:
    following = iter(calls)
    return [
        {"toolUse": {**block["toolUse"], "toolUseId": next(following).legal_id}} if "toolUse" in block else block
        for block in content
    ]


def _answers(content: Sequence[Block], others: list[Block], waiting: Sequence[_Call], at: int) -> list[Block]:
    """The results that are due, those that stand here in their order, then what else the message holds."""
    place = {id(block["toolResult"]): i for i, block in enumerate(content) if "toolResult" in block}
    here = [call for call in waiting if call.found_at == at]
    here.sort(key=lambda call: place[id(call.result)])
    due = [call.block for call in here] + [call.block for call in waiting if call.found_at != at]
    return due + others
