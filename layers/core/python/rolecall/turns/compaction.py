"""Older turns of a conversation folded into its summary before a hop, so that the newer ones fit the model.

Whole turns are folded, so that no call is parted from its result. The summary is stored, so that later hops and turns
find it done.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from rolecall.agents import store as agents
from rolecall.agents.models import ActivityType
from rolecall.conversations.models import Message, Role
from rolecall.conversations.upkeep import store
from rolecall.conversations.upkeep.small import Small
from rolecall.conversations.upkeep.store import Rolled
from rolecall.conversations.upkeep.summary import quoted, summarize
from rolecall.errors import RolecallError
from rolecall.ids import ConversationId, is_ephemeral
from rolecall.llm.estimate import file_tokens, text_tokens
from rolecall.llm.once import Completion
from rolecall.llm.types import Message as WireMessage
from rolecall.telemetry import log
from rolecall.turns.material import Material, past_messages
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.setting import Setting

SECONDS: Final = 20.0
"""Longest that a user waits for the small model; then the older messages are quoted by their beginnings."""
OUTPUT_CHARACTERS: Final = 2_000
"""What of a call's output counts: more is clipped by then."""


def compacted(runtime: Runtime, turn: TurnRef, material: Material, keep_tokens: int) -> Material:
    """Fold all but the newest earlier turns into the summary; the material itself where none is to be folded.

    Args:
        runtime: the stores.
        turn: the turn that is about to go on.
        material: what its hop works with.
        keep_tokens: what the turns that stay may have together, estimated.
    """
    dropped, kept = parted(material.past_rows, keep_tokens)
    if not dropped:
        return material
    conversation_id = ConversationId(material.setting.conversation.id)
    with runtime.db.transaction(turn.caller, read_only=True) as conn:
        messages = past_messages(conn, conversation_id, dropped)
        past = past_messages(conn, conversation_id, kept)
    done = _summary(material.setting, material.summary, messages)
    stored = _store(runtime, turn, material, dropped, done)
    log.info("conversation compacted", extra={"turn_id": str(turn.turn_id), "messages": len(dropped)})
    setting = _moved_on(material.setting, done.text, dropped[-1].position) if stored else material.setting
    return replace(material, setting=setting, past=past, past_rows=kept, summary=done.text)


def parted(rows: Sequence[Message], keep_tokens: int) -> tuple[list[Message], list[Message]]:
    """Part rows into older ones and newest whole turns that have at most so many tokens, estimated."""
    start, left = len(rows), keep_tokens
    for at in range(len(rows) - 1, -1, -1):
        left -= row_tokens(rows[at])
        if left < 0:
            break
        if rows[at].role == Role.USER:
            start = at
    return list(rows[:start]), list(rows[start:])


def row_tokens(row: Message) -> int:
    """Estimate what a row of an earlier turn adds to a request."""
    calls = sum(
        len(json.dumps(call.get("input"), default=str))
        + min(len(json.dumps(call.get("output"), default=str)), OUTPUT_CHARACTERS)
        for call in row.tool_calls
    )
    files = sum(file_tokens(int(file.get("size_bytes") or 0)) for file in row.attachments)
    return text_tokens(row.content) + calls // 4 + files


def _moved_on(setting: Setting, summary: str, until: int) -> Setting:
    """Say of the conversation what is stored now, so that it can be folded further."""
    conversation = replace(setting.conversation, context_summary=summary, summarized_until=until)
    return replace(setting, conversation=conversation)


def _summary(setting: Setting, old: str | None, messages: list[WireMessage]) -> Completion:
    try:
        small = Small(setting.small, setting.credentials.access_for(setting.small.provider))
        return summarize(small, old, messages, seconds=SECONDS)
    except RolecallError as error:
        log.warning("small model gave nothing", extra={"what": "compaction", "code": error.code})
        return Completion(quoted(old, messages))


def _store(runtime: Runtime, turn: TurnRef, material: Material, dropped: list[Message], done: Completion) -> bool:
    """Keep the summary. False: its conversation is not kept, or somebody else rolled it on meanwhile."""
    conversation_id = ConversationId(material.setting.conversation.id)
    if is_ephemeral(conversation_id):
        return False
    before = material.setting.conversation.summarized_until
    rolled = Rolled(done.text, before, dropped[-1].position, len(dropped), done.usage)
    with runtime.db.transaction(turn.caller) as conn:
        if not store.set_summary(conn, conversation_id, rolled):
            return False
        agents.note(
            conn,
            turn.caller,
            ActivityType.CONTEXT_SUMMARIZED,
            agent_id=material.setting.agent.id,
            conversation_id=conversation_id,
            details={"messages": len(dropped), "until": rolled.until},
        )
    return True
