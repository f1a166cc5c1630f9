"""The book of a turn that is stored: rows in Postgres."""

from uuid import UUID

from rolecall.billing import store as billing
from rolecall.conversations import store as conversations
from rolecall.conversations.attachments import store as attachments
from rolecall.conversations.models import Message
from rolecall.errors import ErrorCode
from rolecall.settings import Settings
from rolecall.tools import store as tools
from rolecall.tools.models import Call, CallBook, CallStatus
from rolecall.turns import store
from rolecall.turns.book import Conn, Told
from rolecall.turns.models import TurnRef
from rolecall.turns.opening import Opening, Place, read_opening
from rolecall.turns.setting import Setting


class Rows:
    """A turn in Postgres; see Book."""

    calls: CallBook = tools

    def __init__(self, turn: TurnRef) -> None:
        self._turn = turn

    def opening(self, conn: Conn, place: Place, settings: Settings, *, with_user: bool) -> Opening:
        """Read it all in one round trip."""
        return read_opening(conn, self._turn.caller, place, settings, with_user=with_user)

    def begin(
        self, conn: Conn, said: Message, answer: Message, setting: Setting, *, replaces: UUID | None = None
    ) -> bool:
        """Insert both rows and the message's files; other answers that hang in the conversation are failed."""
        stored = store.insert_rows(conn, self._turn, said, answer, model=str(setting.spec), replaces=replaces)
        if stored:
            attachments.insert(conn, said.id, said.attachments)
        return stored

    def said(self, conn: Conn) -> Message | None:
        """Read the message before the answer; it is among the conversation's two newest rows."""
        newest = conversations.newest_messages(conn, self._turn.conversation_id, limit=2)
        return newest[0] if newest else None

    def answer(self, conn: Conn) -> Message | None:
        """Read the ASSISTANT row."""
        return conversations.turn_row(conn, self._turn.turn_id)

    def calls_made(self, conn: Conn) -> list[Call]:
        """Read the turn's executions."""
        return tools.calls_of(conn, self._turn.turn_id)

    def save_hop(self, conn: Conn, told: Told) -> bool:
        """Update the ASSISTANT row, insert the calls, and a flat TOOL row for each that failed at once."""
        if not store.save_hop(
            conn,
            self._turn,
            content=told.content,
            segments=told.segments,
            tool_calls=told.tool_calls,
            usage=told.usage,
            stop_reason=told.stop_reason,
            estimated=told.estimated,
        ):
            return False
        tools.insert_calls(conn, told.calls)
        for call in told.calls:
            if call.status == CallStatus.FAILED:
                tools.insert_tool_row(conn, call, call.error_message or "")
        return True

    def close_lost(self, conn: Conn, hop: int, message: str) -> list[Call]:
        """Fail what is neither ended nor locked by whoever runs it."""
        return tools.fail_lost(conn, self._turn.turn_id, hop, message)

    def complete(self, conn: Conn, stop_reason: str) -> bool:
        """Complete the ASSISTANT row."""
        return self._counted(conn, ended=store.complete(conn, self._turn, stop_reason))

    def fail(self, conn: Conn, code: ErrorCode, message: str, unsaved: str) -> bool:
        """Fail the ASSISTANT row and cancel what has not run."""
        return self._counted(conn, ended=store.fail(conn, self._turn, code, message, unsaved))

    def _counted(self, conn: Conn, *, ended: bool) -> bool:
        if ended:
            billing.count_stored_turn(conn, self._turn.turn_id)
        return ended
