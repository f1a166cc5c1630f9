"""What is passed along a turn."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from uuid import UUID

from rolecall.aws.live import LiveTable
from rolecall.aws.sockets import Sockets
from rolecall.conversations.models import Message
from rolecall.db import Database
from rolecall.identity import Caller
from rolecall.ids import CompanyId, ConversationId, TurnId, UserId
from rolecall.settings import Settings


@dataclass(frozen=True, slots=True)
class TurnRef:
    """A turn's ids and the fence under which its holder may write. All that a state machine carries."""

    turn_id: TurnId
    conversation_id: ConversationId
    user_id: UserId
    company_id: CompanyId | None
    fence: int = 1
    stored: bool = True
    """Whether it leaves messages. One that does not is in the live table alone, and for a short time."""
    anonymous: bool = False

    @property
    def caller(self) -> Caller:
        """The person the turn acts for."""
        return Caller(self.user_id, self.company_id, self.anonymous)

    def ttl(self, settings: Settings) -> int:
        """Seconds for which what the live table has of it is kept."""
        return settings.live_ttl_seconds if self.stored else settings.unstored_ttl_seconds

    @classmethod
    def of_row(cls, row: Message, caller: Caller) -> "TurnRef":
        """The turn of an ASSISTANT row of the caller's; nobody holds it."""
        return cls(TurnId(row.id), ConversationId(row.conversation_id), caller.user_id, caller.company_id, 0)

    def plain(self) -> dict[str, Any]:
        """Render for an event or a state."""
        return {
            "turnId": str(self.turn_id),
            "conversationId": str(self.conversation_id),
            "userId": str(self.user_id),
            "companyId": str(self.company_id) if self.company_id else None,
            "fence": self.fence,
            "stored": self.stored,
            "anonymous": self.anonymous,
        }

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> "TurnRef":
        """Read what `plain` wrote."""
        company = data.get("companyId")
        return cls(
            TurnId(UUID(data["turnId"])),
            ConversationId(UUID(data["conversationId"])),
            UserId(UUID(data["userId"])),
            CompanyId(UUID(company)) if company else None,
            int(data.get("fence", 1)),
            stored=bool(data.get("stored", True)),
            anonymous=bool(data.get("anonymous", False)),
        )


@dataclass(frozen=True, slots=True)
class HopOutcome:
    """How a hop ended: `tools` with the calls to run, `analysed` where the next one follows at once, or `done`."""

    status: Literal["tools", "analysed", "done"]
    hop: int
    calls: tuple[str, ...] = ()

    def plain(self, turn: TurnRef) -> dict[str, Any]:
        """Render as the state after this hop."""
        return {"turn": turn.plain(), "hop": self.hop, "status": self.status, "calls": list(self.calls)}


@dataclass(frozen=True, slots=True)
class Runtime:
    """What a turn works with; an entry point builds it once a process."""

    db: Database
    live: LiveTable
    sockets: Sockets
    settings: Settings

    def ttl(self, turn: TurnRef) -> int:
        """Seconds for which a turn's events stay in the live table."""
        return turn.ttl(self.settings)
