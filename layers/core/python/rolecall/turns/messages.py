"""What functions send each other about turns: front → turn and actions."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from rolecall.identity import Caller
from rolecall.ids import ConversationId, MessageId, TurnId, is_ephemeral, turn_id_for
from rolecall.protocol.requests import AgentChat
from rolecall.turns.models import TurnRef


@dataclass(frozen=True, slots=True)
class StartTurn:
    """A message that shall become a turn."""

    chat: AgentChat
    message_id: MessageId
    caller: Caller
    connection_id: str

    @property
    def turn(self) -> TurnRef:
        """The turn it becomes; the same however often the message is sent."""
        conversation = ConversationId(self.chat.conversation_id)
        return TurnRef(
            TurnId(turn_id_for(self.caller.user_id, conversation, self.message_id)),
            conversation,
            self.caller.user_id,
            self.caller.company_id,
            stored=self.chat.store and not self.caller.anonymous and not is_ephemeral(conversation),
            anonymous=self.caller.anonymous,
        )

    def plain(self) -> dict[str, Any]:
        """Render for the asynchronous invocation."""
        return {
            "kind": "message",
            "chat": self.chat.model_dump(mode="json", by_alias=True),
            "messageId": str(self.message_id),
            "caller": self.caller.plain(),
            "connectionId": self.connection_id,
        }

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> "StartTurn":
        """Read what `plain` wrote."""
        return cls(
            AgentChat.model_validate(data["chat"]),
            MessageId(UUID(data["messageId"])),
            Caller.from_plain(data["caller"]),
            data["connectionId"],
        )
