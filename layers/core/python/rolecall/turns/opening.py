"""Everything that a turn reads before it can speak, in one round trip."""

from dataclasses import dataclass
from typing import Any
from uuid import UUID

from psycopg import Connection

from rolecall.agents import store as agents
from rolecall.conversations import store as conversations
from rolecall.conversations.envelope import FETCH_MS
from rolecall.conversations.models import Conversation, Message
from rolecall.conversations.upkeep import store as upkeep
from rolecall.db.limits import set_time_limit
from rolecall.identity import Caller
from rolecall.ids import ConversationId
from rolecall.knowledge import search
from rolecall.llm.credentials import Credentials
from rolecall.llm.vault import store as vault
from rolecall.platform import store as platform
from rolecall.platform.models import UserSnapshot
from rolecall.settings import Settings
from rolecall.tools import store as tools
from rolecall.tools.models import ToolDefinition
from rolecall.turns.setting import Setting, judged


@dataclass(frozen=True, slots=True)
class Opening:
    """What is there before the turn says anything."""

    setting: Setting
    user: UserSnapshot | None
    """None where it could not be read in time."""
    rows: list[Message]
    """The newest messages, in order of time: those that the summary does not cover."""
    enabled: list[ToolDefinition]
    has_documents: bool
    summary: str | None = None
    """What the conversation was about before its rows; none where it tells of messages that are taken back."""
    scale: float = 1.0
    """What an estimate of tokens is to be multiplied by, as the model's last answer showed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a turn takes place: the conversation, its task where one is named, how many rows beside the context."""

    conversation_id: ConversationId
    task_code: str | None = None
    more_rows: int = 0
    replaces: UUID | None = None
    """The message that the turn's takes the place of; what is from it on is not read."""
    ephemeral: Conversation | None = None
    """The conversation, where it has no row."""
    model: str | None = None
    """The model, where the call names one."""

    @property
    def agent_id(self) -> UUID | None:
        """The agent, where the conversation has no row that names it."""
        return self.ephemeral.agent_id if self.ephemeral else None

    @property
    def code(self) -> str | None:
        """The task, where one is named here or the conversation has no row that names it."""
        return self.task_code or (self.ephemeral.task_code if self.ephemeral else None)


def read_opening(
    conn: Connection[Any], caller: Caller, place: Place, settings: Settings, *, with_user: bool = True
) -> Opening:
    """Read it all.

    Args:
        conn: the caller's transaction.
        caller: whose turn it is.
        place: where.
        settings: for the model, where neither task nor agent names one.
        with_user: read the user's snapshot too; then everything has to come within 500 ms.

    Raises:
        TurnFailed: the conversation or its agent takes no turns.
        RolecallError: its model cannot be used.
        psycopg.errors.QueryCanceled: it did not come in time; read again without the user.
    """
    conversation_id, code, agent_id = place.conversation_id, place.code, place.agent_id
    with conn.pipeline():
        if with_user:
            set_time_limit(conn, FETCH_MS)
        conversation = conversations.ask(conn, conversation_id)
        agent = agents.ask_of_conversation(conn, conversation_id, agent_id=agent_id)
        task = agents.ask_task_of_conversation(conn, conversation_id, code, agent_id=agent_id)
        rows = conversations.ask_context(conn, conversation_id, more=place.more_rows, replaces=place.replaces)
        enabled = tools.ask_definitions(conn, caller, conversation_id, code, agent_id=agent_id)
        searchable = search.ask_searchable(conn, caller, conversation_id, agent_id=agent_id)
        user = platform.ask_user_snapshot(conn, caller) if with_user else None
        stored = vault.ask(conn, caller)
        weighed = upkeep.ask_weighed(conn, conversation_id)
        set_time_limit(conn, None)
        there, its_agent, its_task = place.ephemeral or conversation.get(), agent.get(), task.get()
        credentials = Credentials(caller, settings, stored.get())
        setting = judged(caller, there, its_agent, its_task, credentials, model=place.model)
        credentials.reseal(conn)
        newest = rows.get()[::-1]
        summary = setting.conversation.summary_after(newest[-1].position if newest else None)
        return Opening(
            setting=setting,
            user=user.get() if user else None,
            rows=_uncovered(setting.conversation, newest) if summary else newest,
            enabled=enabled.get(),
            has_documents=searchable.get(),
            summary=summary,
            scale=upkeep.scale_of(weighed.get(), str(setting.spec)),
        )


def _uncovered(conversation: Conversation, rows: list[Message]) -> list[Message]:
    return [row for row in rows if row.position > (conversation.summarized_until or 0)]
