"""Ids that must not be swapped, and those that are derived."""

from typing import Final, NewType
from uuid import UUID, uuid5

UserId = NewType("UserId", UUID)
CompanyId = NewType("CompanyId", UUID)
AgentId = NewType("AgentId", UUID)
ConversationId = NewType("ConversationId", UUID)
MessageId = NewType("MessageId", UUID)
TurnId = NewType("TurnId", UUID)
"""A turn's id; the assistant message that it writes has the same id."""

_EPHEMERAL_VERSION: Final = 8
_TURN_NAMESPACE = UUID("5d5b2c0e-6d0b-5f7e-9a53-0d6a1c2f7b11")


def turn_id_for(user: UserId, conversation: ConversationId, message: MessageId) -> TurnId:
    """Derive the turn's id from who says what where, so that a repeated send names the same turn."""
    return TurnId(uuid5(_TURN_NAMESPACE, f"{user}:{conversation}:{message}"))


def ephemeral_id(made_from: UUID) -> ConversationId:
    """Make a random id that of a conversation which is not kept: it tells by itself, so that nobody has to look."""
    return ConversationId(UUID(int=made_from.int & ~(0xF << 76) | _EPHEMERAL_VERSION << 76))


def is_ephemeral(conversation: UUID) -> bool:
    """Say whether a conversation of this id is not kept. Those that are have random ids, which are of version 4."""
    return conversation.version == _EPHEMERAL_VERSION
