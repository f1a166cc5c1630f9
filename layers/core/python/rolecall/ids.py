"""Ids that must not be swapped, and the one id that is derived."""

from typing import NewType
from uuid import UUID, uuid5

UserId = NewType("UserId", UUID)
CompanyId = NewType("CompanyId", UUID)
AgentId = NewType("AgentId", UUID)
ConversationId = NewType("ConversationId", UUID)
MessageId = NewType("MessageId", UUID)
TurnId = NewType("TurnId", UUID)
"""A turn's id; the assistant message that it writes has the same id."""

_TURN_NAMESPACE = UUID("5d5b2c0e-6d0b-5f7e-9a53-0d6a1c2f7b11")


def turn_id_for(user: UserId, conversation: ConversationId, message: MessageId) -> TurnId:
    """Derive the turn's id from who says what where, so that a repeated send names the same turn."""
    return TurnId(uuid5(_TURN_NAMESPACE, f"{user}:{conversation}:{message}"))
