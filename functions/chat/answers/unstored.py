"""Conversations that are not kept, and what kept ones did not keep: opened, read, deleted in the live table."""

from functions.chat.answers.asked import Asked, Data
from rolecall.agents.models import Agent
from rolecall.conversations import ephemeral
from rolecall.conversations.models import MessageStatus
from rolecall.errors import ErrorCode, RolecallError
from rolecall.ids import AgentId, ConversationId, TurnId, ephemeral_id
from rolecall.protocol.requests import CreateConversation
from rolecall.turns import log
from rolecall.turns.cancel import cancel
from rolecall.turns.models import Runtime
from rolecall.turns.unstored.book import EXPIRED
from rolecall.turns.unstored.items import messages_of, turns_of


def create(runtime: Runtime, asked: Asked, request: CreateConversation, agent: Agent) -> Data:
    """Open a conversation with an agent that the caller may use; delivered twice, it is one."""
    made = ephemeral.create(
        runtime.live,
        asked.caller,
        conversation_id=ephemeral_id(asked.delivery_id),
        agent_id=AgentId(agent.id),
        title=request.title,
        task_code=request.task_code,
        ttl=runtime.settings.unstored_ttl_seconds,
    )
    return {"conversation": made.wire()}


def messages(
    runtime: Runtime, asked: Asked, conversation_id: ConversationId, *, limit: int, before: int | None
) -> Data:
    """A page of messages, while the conversation is there; the newest page first, each in order of time.

    Raises:
        RolecallError: CONVERSATION_NOT_FOUND.
    """
    if ephemeral.get(runtime.live, asked.caller, conversation_id) is None:
        raise RolecallError(EXPIRED, code=ErrorCode.CONVERSATION_NOT_FOUND)
    rows = messages_of(turns_of(runtime.live, conversation_id, asked.caller))
    page = [row for row in rows if before is None or row.position < before][-limit:]
    more = len(page) == limit
    return {"messages": [row.wire() for row in page], "next": str(page[0].position) if more else None}


def delete(runtime: Runtime, asked: Asked, conversation_id: ConversationId) -> None:
    """Stop what runs of a conversation and is not kept, and delete all that is there of it, at once."""
    for _, turn in turns_of(runtime.live, conversation_id, asked.caller):
        turn_id = TurnId(turn.answer.id)
        if turn.answer.status == MessageStatus.STREAMING:
            cancel(runtime, asked.caller, asked.connection_id, turn_id)
        log.forget(runtime.live, turn_id)
    ephemeral.delete(runtime.live, conversation_id, asked.caller)
