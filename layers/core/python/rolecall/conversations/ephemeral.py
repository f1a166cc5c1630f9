"""Conversations that are not kept: they are in the live table alone, and are gone an hour after their last turn.

Everything of one, its turns too, lies in one partition, which is named by the conversation and by its person: who only
knows a conversation's id finds nothing.
"""

from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from typing import TYPE_CHECKING, Any

from rolecall.aws import packed
from rolecall.aws.live import Item, LiveTable, Write
from rolecall.conversations.models import Conversation
from rolecall.identity import Caller
from rolecall.ids import AgentId, ConversationId

if TYPE_CHECKING:
    from pydantic import TypeAdapter

HEAD = "CONVERSATION"


def partition(conversation_id: ConversationId, caller: Caller) -> str:
    """The partition of what is not kept of a person's conversation, in the company that they act for."""
    return f"UNSTORED#{conversation_id}#{caller.user_id}#{caller.company_id or caller.mode}"


def create(
    live: LiveTable,
    caller: Caller,
    *,
    conversation_id: ConversationId,
    agent_id: AgentId,
    title: str | None,
    task_code: str | None,
    ttl: int,
) -> Conversation:
    """Make a conversation; repeated with the same id, return the one that is there."""
    now = datetime.now(UTC)
    made = Conversation(
        id=conversation_id,
        company_id=caller.company_id,
        user_id=caller.user_id,
        agent_id=agent_id,
        title=title,
        status="ACTIVE",
        task_code=task_code,
        context_summary=None,
        summarized_until=None,
        message_count=0,
        last_message_at=now,
        created_at=now,
    )
    key = partition(conversation_id, caller), HEAD
    item = {
        "conversation": _adapter().dump_python(made, mode="json"),
        "message_count": 0,
        "last_message_at": now.isoformat(),
        "expires_at": packed.until(ttl),
    }
    first = live.write(Write(verb="Put", key=key, item=item, condition="attribute_not_exists(pk)"))
    return made if first is not None else get(live, caller, conversation_id) or made


def get(live: LiveTable, caller: Caller, conversation_id: ConversationId) -> Conversation | None:
    """Read a conversation of the caller's, in the company that they made it for; None once it has expired."""
    item = live.get(partition(conversation_id, caller), HEAD)
    return _conversation(item) if item and packed.is_fresh(item) else None


def goes_on(conversation_id: ConversationId, caller: Caller, *, messages: int, ttl: int) -> Write:
    """Count messages and keep the conversation for another `ttl` seconds; holds only while it has not expired."""
    return Write(
        verb="Update",
        key=(partition(conversation_id, caller), HEAD),
        update="SET expires_at = :expires, last_message_at = :now ADD message_count :messages",
        condition="expires_at > :seconds",
        values={
            ":expires": packed.until(ttl),
            ":seconds": packed.until(0),
            ":now": datetime.now(UTC).isoformat(),
            ":messages": messages,
        },
    )


def delete(live: LiveTable, conversation_id: ConversationId, caller: Caller) -> None:
    """Delete all that is in the live table of what a person's conversation did not keep."""
    pk = partition(conversation_id, caller)
    for item in list(live.query(pk, first=" ", last="\uffff")):
        live.write(Write(verb="Delete", key=(pk, item["sk"])))


def _conversation(item: Item) -> Conversation:
    counted = {name: item[name] for name in ("message_count", "last_message_at")}
    made: Conversation = _adapter().validate_python({**_whole(item["conversation"]), **counted})
    return made


def _whole(stored: Any) -> dict[str, Any]:
    """What was None is not in the table."""
    names: Iterable[str] = Conversation.__dataclass_fields__
    return {name: stored.get(name) for name in names}


@cache
def _adapter() -> "TypeAdapter[Conversation]":
    from pydantic import TypeAdapter

    return TypeAdapter(Conversation)
