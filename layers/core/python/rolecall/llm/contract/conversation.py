"""Who speaks when: the order of messages, and the pairing of calls with their results."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from rolecall.llm.contract.reading import Reading
from rolecall.llm.contract.violation import Violation


def check(reading: Reading) -> Iterator[Violation]:
    """Yield what is wrong with the conversation as a sequence."""
    messages = reading.messages
    if not messages:
        yield Violation("messages", "no_messages", "The messages field is empty. Add a message and try again.")
        return
    yield from _order(messages)
    yield from _end(messages)
    yield from _unique_ids(messages)
    previous: list[str] = []
    for i, message in enumerate(messages):
        path = f"messages.{i}.content"
        content = message.get("content") or []
        if not content:
            yield Violation(
                f"messages.{i}",
                "empty_content",
                f"The content field in the Message object at messages.{i} is empty. Add a ContentBlock object to the "
                "content field and try again.",
            )
        yield from _results(path, message.get("role"), content, previous)
        previous = [block["toolUse"].get("toolUseId", "") for block in content if "toolUse" in block]
    if previous:
        yield _unanswered(f"messages.{len(messages)}.content", previous)


def _order(messages: Sequence[Mapping[str, Any]]) -> Iterator[Violation]:
    if messages[0].get("role") != "user":
        yield Violation(
            "messages.0",
            "first_is_user",
            "A conversation must start with a user message. Try again with a conversation that starts with a user "
            "message.",
        )
    for i, message in enumerate(messages):
        if message.get("role") not in ("user", "assistant"):
            yield Violation(f"messages.{i}.role", "role", "The role must be user or assistant.")
        if i and message.get("role") == messages[i - 1].get("role"):
            yield Violation(
                f"messages.{i}",
                "alternate",
                "A conversation must alternate between user and assistant roles. Make sure the conversation alternates "
                "between user and assistant roles and try again.",
            )


def _end(messages: Sequence[Mapping[str, Any]]) -> Iterator[Violation]:
    last, path = messages[-1], f"messages.{len(messages) - 1}"
    if last.get("role") == "user":
        return
    yield Violation(
        path,
        "last_is_user",
        "This model does not support assistant message prefill. The conversation must end with a user message.",
    )
    texts = [block["text"] for block in last.get("content") or [] if isinstance(block.get("text"), str)]
    if texts and texts[-1] != texts[-1].rstrip():
        message = "messages: final assistant content cannot end with trailing whitespace"
        yield Violation(path, "trailing_whitespace", message)


def _results(path: str, role: object, content: Sequence[Mapping[str, Any]], asked: list[str]) -> Iterator[Violation]:
    answered = [block["toolResult"]["toolUseId"] for block in content if "toolResult" in block]
    if not answered and not asked:
        return
    if role != "user" and answered:
        yield Violation(path, "result_role", f"toolResult blocks at {path} are only allowed in a user message.")
    if missing := [call for call in asked if call not in answered]:
        yield _unanswered(path, missing)
    if unknown := [call for call in answered if call not in asked]:
        yield Violation(
            path,
            "orphan_result",
            f"The toolResult blocks at {path} have Ids without a toolUse block in the previous turn: "
            f"{', '.join(unknown)}",
        )
    if repeated := [call for call, count in Counter(answered).items() if count > 1]:
        message = f"The toolResult blocks at {path} contain duplicate Ids: {', '.join(repeated)}"
        yield Violation(path, "duplicate_result", message)
    if answered and _interrupted(content):
        message = f"The toolResult blocks at {path} must come first in the message, before any other content."
        yield Violation(path, "results_first", message)


def _interrupted(content: Sequence[Mapping[str, Any]]) -> bool:
    others = False
    for block in content:
        if others and "toolResult" in block:
            return True
        others = others or not block.keys() & {"toolResult", "cachePoint"}
    return False


def _unanswered(path: str, calls: list[str]) -> Violation:
    message = f"Expected toolResult blocks at {path} for the following Ids: {', '.join(calls)}"
    return Violation(path, "unanswered_call", message)


def _unique_ids(messages: Sequence[Mapping[str, Any]]) -> Iterator[Violation]:
    seen: set[str] = set()
    for i, message in enumerate(messages):
        for block in message.get("content") or []:
            call_id = block.get("toolUse", {}).get("toolUseId")
            if call_id is not None and call_id in seen:
                message_ = f"The toolUse blocks at messages.{i}.content contain duplicate Ids: {call_id}"
                yield Violation(f"messages.{i}.content", "duplicate_call", message_)
            seen.add(call_id)
