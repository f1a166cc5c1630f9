"""One history: made, damaged, rebuilt, damaged again on its way, repaired; and what must be true of it then."""

from collections import Counter
from copy import deepcopy
from dataclasses import dataclass, field
from random import Random
from typing import Any

from rolecall.conversations.attachments.blocks import with_files
from rolecall.conversations.history import joined, messages_of, turn_messages
from rolecall.conversations.mend import mended
from rolecall.conversations.models import Message
from rolecall.llm.capabilities import capabilities
from rolecall.llm.contract import check
from rolecall.llm.contract.shape import is_unicode
from rolecall.llm.repair import repaired
from rolecall.llm.text import is_blank
from tests.fuzz.damage import damaged
from tests.fuzz.requests import NAMES, a_request, a_tool
from tests.fuzz.rows import History, damage

MODEL = capabilities("anthropic.claude-sonnet-4-6")
SAMPLED = 20
"""One in so many is rebuilt and repaired twice, and compared with what was given."""


class Broken(Exception):
    """Something that must hold does not."""


@dataclass(slots=True)
class Outcome:
    """What became of one history."""

    rules: Counter[str] = field(default_factory=Counter)
    damaged: bool = False
    mended: int = 0


def run(seed: int, number: int) -> Outcome:
    """Try one history.

    Raises:
        Broken: it came out illegal, lost something, or changed where nothing was wrong.
    """
    rng = Random(f"{seed}:{number}")
    outcome, sampled = Outcome(), number % SAMPLED == 0
    if rng.random() < 0.6:
        request = _of_rows(rng, outcome, sampled=sampled)
    else:
        request = a_request(rng)
        if sampled:
            _require(not check(request), "a request of the generator's is illegal")
    if rng.random() < 0.7:
        outcome.damaged = True
        damaged(request, rng, rng.choice((1, 1, 1, 2, 3)))
    _judge(request, outcome, sampled=sampled)
    return outcome


def _of_rows(rng: Random, outcome: Outcome, *, sampled: bool) -> dict[str, Any]:
    history = History(rng)
    if rng.random() < 0.6:
        outcome.damaged = True
        for _ in range(rng.choice((1, 1, 2, 3))):
            damage(history, rng)
    whole = [_mended(history, row) for row in history.rows]
    outcome.mended = sum(row is not given for row, given in zip(whole, history.rows, strict=True))
    messages = messages_of(history.rows, history.outputs)
    if sampled:
        _require(messages == messages_of(whole), "mended rows tell another story")
    _require_said(whole, messages)
    now: list[Any] = [{"role": "user", "content": [{"text": "And now?"}]}]
    if history.rows and history.rows[-1].role == "ASSISTANT" and rng.random() < 0.3:
        now += turn_messages(history.rows[-1], history.outputs)
    messages = with_files(joined([*messages, *now]), MODEL, lambda files: {file.id: b"%PDF-1.7" for file in files})
    request: dict[str, Any] = {"messages": messages, "inferenceConfig": {"maxTokens": 4096}}
    if rng.random() < 0.7:
        request["toolConfig"] = {"tools": [a_tool(rng.choice(NAMES))]}
    if rng.random() < 0.5:
        thinking = rng.choice(({"type": "enabled", "budget_tokens": 1024}, {"type": "adaptive"}))
        request["additionalModelRequestFields"] = {"thinking": thinking}
    return request


def _mended(history: History, row: Message) -> Message:
    whole = mended(row, history.outputs)
    _require(mended(whole, history.outputs) is whole, "a row that was mended is not whole")
    return whole


def _require_said(rows: list[Message], messages: list[Any]) -> None:
    sent = "\n".join(block["text"] for message in messages for block in message["content"] if "text" in block)
    begun = False
    for row in rows:
        begun = (
            begun or row.origin == "heartbeat" or (row.role == "USER" and bool(row.content.strip() or row.attachments))
        )
        said = [row.content] if row.role == "USER" else _segment_texts(row)
        lost = [text for text in said if begun and not is_blank(text) and text.rstrip() not in sent]
        _require(not lost, "something that was said is not replayed")


def _segment_texts(row: Message) -> list[str]:
    return [segment["text"] for segment in row.content_segments if segment.get("type") == "text"]


def _judge(request: dict[str, Any], outcome: Outcome, *, sampled: bool) -> None:
    said = _texts(request)
    before = deepcopy(request) if sampled else None
    found = repaired(request)
    outcome.rules = found.rules
    left = check(found.request)
    _require(not left, f"violations are left: {[violation.rule for violation in left]}")
    if not found.rules:
        _require(found.request is request, "a legal request was changed")
        return
    sent = "\n".join(_texts(dict(found.request)))
    _require(all(text in sent for text in said), "something that was said is not sent")
    if before is not None:
        _require(repr(before) == repr(request), "what was given was changed")
        _require(repr(repaired(before)) == repr(found), "it was repaired in another way")


def _texts(request: dict[str, Any]) -> list[str]:
    """What people and the assistant say in a request, in messages that can be told for messages."""
    found: list[str] = []
    for message in request["messages"]:
        content = message.get("content") if isinstance(message, dict) else None
        for block in content if isinstance(content, list) else [content]:
            text = block.get("text") if isinstance(block, dict) else block
            if isinstance(text, str) and is_unicode(text) and not is_blank(text):
                found.append(text)
    return found


def _require(holds: bool, message: str) -> None:
    if not holds:
        raise Broken(message)
