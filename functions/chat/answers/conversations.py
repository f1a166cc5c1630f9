"""Conversations: opened, listed, renamed, deleted, read."""

from typing import Any

from psycopg import Connection

from functions.chat.answers import unstored
from functions.chat.answers.asked import Asked, Data, usable
from rolecall.agents import provisioning
from rolecall.agents import store as agents
from rolecall.agents.models import ActivityType, Agent
from rolecall.aws import objects
from rolecall.aws.sockets import tell
from rolecall.conversations import store as conversations
from rolecall.conversations.attachments import store as attachments
from rolecall.conversations.cursor import cursor_of, place_of, position_of
from rolecall.conversations.mend import mended
from rolecall.conversations.models import Conversation
from rolecall.errors import ErrorCode, InvalidRequest, RolecallError
from rolecall.identity import Caller
from rolecall.ids import AgentId, ConversationId, is_ephemeral
from rolecall.protocol.events import ConversationUpdated
from rolecall.protocol.requests import (
    ConversationMessages,
    CreateConversation,
    DeleteConversation,
    GiveFeedback,
    ListConversations,
    UpdateConversation,
)
from rolecall.turns.models import Runtime


def create_conversation(runtime: Runtime, asked: Asked, request: CreateConversation) -> Data:
    """Open a conversation; delivered twice, it is one."""
    caller = asked.caller
    if request.agent_id is None and not caller.anonymous:
        provisioning.ensure_default_agents(runtime.db, caller)
    with runtime.db.transaction(caller) as conn:
        agent = usable(_wanted(conn, caller, request), caller)
        if caller.anonymous or not request.store:
            return unstored.create(runtime, asked, request, agent)
        made = conversations.create(
            conn,
            caller,
            conversation_id=ConversationId(asked.delivery_id),
            agent_id=AgentId(agent.id),
            title=request.title,
            task_code=request.task_code,
        )
        started = ActivityType.CONVERSATION_STARTED
        agents.note(conn, caller, started, agent_id=agent.id, conversation_id=made.id, once=asked.delivery_id)
    _tell_others(runtime, asked, ConversationUpdated(conversation_id=str(made.id), title=made.title))
    return {"conversation": made.wire()}


def _wanted(conn: Connection[Any], caller: Caller, request: CreateConversation) -> Agent | None:
    if request.agent_id is not None:
        return agents.get(conn, AgentId(request.agent_id))
    if caller.anonymous:
        return next(iter(agents.public_agents(conn)), None)
    return agents.default_agent(conn, caller)


def list_conversations(runtime: Runtime, asked: Asked, request: ListConversations) -> Data:
    """The caller's conversations, newest first, a page at a time."""
    before = place_of(request.before)
    with runtime.db.transaction(asked.caller, read_only=True) as conn:
        page = conversations.page(conn, asked.caller, limit=request.limit, before=before, query=request.query)
    more = len(page) == request.limit
    return {"conversations": [row.wire() for row in page], "next": cursor_of(page[-1]) if more else None}


def update_conversation(runtime: Runtime, asked: Asked, request: UpdateConversation) -> Data:
    """Give a conversation another title."""
    conversation_id = ConversationId(request.conversation_id)
    with runtime.db.transaction(asked.caller) as conn:
        renamed = conversations.rename(conn, conversation_id, request.title)
        renamed = renamed or _found(conversations.get(conn, conversation_id), statuses=("ACTIVE",))
    _tell_others(runtime, asked, ConversationUpdated(conversation_id=str(renamed.id), title=renamed.title))
    return {"conversation": renamed.wire()}


def delete_conversation(runtime: Runtime, asked: Asked, request: DeleteConversation) -> Data:
    """Delete a conversation with its files; what it cost and what it did stays on record."""
    conversation_id = ConversationId(request.conversation_id)
    unstored.delete(runtime, asked, conversation_id)
    if is_ephemeral(conversation_id):
        return {"conversationId": str(conversation_id), "deleted": True}
    with runtime.db.transaction(asked.caller) as conn:
        if conversations.get(conn, conversation_id) is None:
            raise _no_conversation()
        conversations.mark_deleted(conn, conversation_id)
        keys = attachments.keys_of(conn, conversation_id)
    for key in keys:
        objects.delete(runtime.settings.uploads_bucket, key)
    _tell_others(runtime, asked, ConversationUpdated(conversation_id=str(conversation_id), status="DELETED"))
    return {"conversationId": str(conversation_id), "deleted": True}


def conversation_messages(runtime: Runtime, asked: Asked, request: ConversationMessages) -> Data:
    """A page of a conversation's messages; the newest page first, each in order of time."""
    conversation_id = ConversationId(request.conversation_id)
    before = position_of(request.before)
    if is_ephemeral(conversation_id):
        return unstored.messages(runtime, asked, conversation_id, limit=request.limit, before=before)
    with runtime.db.transaction(asked.caller, read_only=True) as conn:
        _found(conversations.get(conn, conversation_id), statuses=("ACTIVE", "ARCHIVED"))
        rows = conversations.newest_messages(conn, conversation_id, limit=request.limit, before=before)
    more = len(rows) == request.limit
    shown = [mended(row, live=True).wire() for row in rows]
    return {"messages": shown, "next": str(rows[0].position) if more else None}


def give_feedback(runtime: Runtime, asked: Asked, request: GiveFeedback) -> Data:
    """Keep what the caller says of an answer or of a conversation."""
    caller, conversation_id = asked.caller, ConversationId(request.conversation_id)
    comment = (request.comment or "").strip() or None if request.rating else None
    with runtime.db.transaction(caller) as conn:
        conversation = _found(conversations.get(conn, conversation_id), statuses=("ACTIVE", "ARCHIVED"))
        if not conversations.rate(conn, conversation_id, request.message_id, request.rating, comment):
            raise InvalidRequest("messageId: there is no such answer, or it has not ended.")
        agents.note(
            conn,
            caller,
            ActivityType.FEEDBACK_RECEIVED,
            agent_id=conversation.agent_id,
            conversation_id=conversation.id,
            details={"rating": request.rating, "messageId": str(request.message_id) if request.message_id else None},
            once=asked.delivery_id,
        )
    return {
        "conversationId": str(conversation_id),
        "messageId": str(request.message_id) if request.message_id else None,
        "feedback": {"rating": request.rating, "comment": comment} if request.rating else None,
    }


def _found(conversation: Conversation | None, *, statuses: tuple[str, ...]) -> Conversation:
    if conversation is None:
        raise _no_conversation()
    if conversation.status not in statuses:
        message = f"The conversation is {conversation.status.lower()}."
        raise RolecallError(message, code=ErrorCode.CONVERSATION_INACTIVE)
    return conversation


def _no_conversation() -> RolecallError:
    return RolecallError("There is no such conversation.", code=ErrorCode.CONVERSATION_NOT_FOUND)


def _tell_others(runtime: Runtime, asked: Asked, frame: ConversationUpdated) -> None:
    tell(runtime.live, runtime.sockets, asked.caller.user_id, frame, besides=asked.connection_id)
