"""The book of a turn that is not stored; see rolecall.turns.book."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Final
from uuid import UUID

from rolecall.aws import packed
from rolecall.aws.live import LiveTable, Write
from rolecall.billing import store as billing
from rolecall.conversations import ephemeral
from rolecall.conversations.models import Conversation, Message, MessageStatus
from rolecall.errors import ErrorCode, InvalidRequest, TurnFailed
from rolecall.ids import is_ephemeral
from rolecall.protocol.limits import WORKFLOW_ITERATIONS
from rolecall.settings import Settings
from rolecall.text import storable
from rolecall.tools import store as tools
from rolecall.tools.models import Call, CallBook, CallStatus
from rolecall.turns import store
from rolecall.turns.book import Conn, Told
from rolecall.turns.models import TurnRef
from rolecall.turns.opening import Opening, Place, read_opening
from rolecall.turns.setting import Setting
from rolecall.turns.unstored.calls import OPEN, UnstoredCalls, without_text
from rolecall.turns.unstored.items import TurnItems, Written, turns_of

EXPIRED: Final = "There is no such conversation, or it has expired: it was not to be kept."


class Unstored:
    """A turn in the live table; see Book."""

    def __init__(self, live: LiveTable, turn: TurnRef, *, ttl: int) -> None:
        self._live, self._turn, self._ttl = live, turn, ttl
        self._items = TurnItems(live, turn, ttl=ttl)
        self.calls: CallBook = UnstoredCalls(self._items)

    def opening(self, conn: Conn, place: Place, settings: Settings, *, with_user: bool) -> Opening:
        """Read what Postgres has, and the conversation's messages and the turn's own from the live table."""
        place = replace(place, ephemeral=self._conversation(), more_rows=0)
        opening = read_opening(conn, self._turn.caller, place, settings, with_user=with_user)
        if place.ephemeral:
            return replace(opening, rows=self._rows(place, most=opening.setting.agent.max_context_messages))
        own = self._items.read()
        return replace(opening, rows=[*opening.rows, own.said, own.answer]) if own else opening

    def _conversation(self) -> Conversation | None:
        if not is_ephemeral(self._turn.conversation_id):
            return None
        found = ephemeral.get(self._live, self._turn.caller, self._turn.conversation_id)
        if found is None:
            raise TurnFailed(EXPIRED, code=ErrorCode.CONVERSATION_NOT_FOUND)
        return found

    def _rows(self, place: Place, *, most: int) -> list[Message]:
        rows: list[Message] = []
        for item, turn in turns_of(self._live, self._turn.conversation_id, self._turn.caller):
            if turn.said.id == place.replaces:
                break
            packed.refresh(self._live, item, self._ttl)
            rows += [turn.said, turn.answer]
        own = 2 if rows and rows[-1].id == self._turn.turn_id else 0
        return rows[-most - own :]

    def begin(
        self, conn: Conn, said: Message, answer: Message, setting: Setting, *, replaces: UUID | None = None
    ) -> bool:
        """Make the turn's item, and keep its conversation for longer."""
        if replaces and not is_ephemeral(self._turn.conversation_id):
            raise InvalidRequest("replaces: a message that is not kept cannot take the place of one that is.")
        taken_back = self._from(replaces) if replaces else []
        if (replaces and not taken_back) or self._items.read():
            return False
        writes = [self._items.first(said, answer, setting.agent.id)]
        if is_ephemeral(self._turn.conversation_id):
            messages = 2 - 2 * len(taken_back)
            writes.append(
                ephemeral.goes_on(self._turn.conversation_id, self._turn.caller, messages=messages, ttl=self._ttl)
            )
        if self._live.transact(writes) is not None:
            raise TurnFailed(EXPIRED, code=ErrorCode.CONVERSATION_NOT_FOUND)
        for key in taken_back:
            self._live.write(Write(verb="Delete", key=key))
        return True

    def _from(self, message_id: UUID) -> list[tuple[str, str]]:
        """Items of the turn that began with this message, and of those after it."""
        turns = turns_of(self._live, self._turn.conversation_id, self._turn.caller)
        index = next((n for n, (_, turn) in enumerate(turns) if turn.said.id == message_id), len(turns))
        return [(item["pk"], item["sk"]) for item, _ in turns[index:]]

    def said(self, conn: Conn) -> Message | None:
        """Read the turn's item."""
        written = self._items.read()
        return written.said if written else None

    def answer(self, conn: Conn) -> Message | None:
        """Read the turn's item."""
        written = self._items.read()
        return written.answer if written else None

    def calls_made(self, conn: Conn) -> list[Call]:
        """Read the calls' items."""
        return self._items.calls()

    def save_hop(self, conn: Conn, told: Told) -> bool:
        """Log the calls without what they say, make their items, then change the turn's."""
        for call in told.calls:
            self._items.put_call(call)
        if not self._turn.anonymous:
            tools.insert_unstored_calls(conn, self._turn.caller, [without_text(call) for call in told.calls])
        return self._items.change(lambda written: _after_hop(written, told)) is not None

    def close_lost(self, conn: Conn, hop: int, message: str) -> list[Call]:
        """Fail what is neither ended nor locked by whoever runs it."""
        lost = tools.fail_lost(conn, self._turn.turn_id, hop, message)
        closed = [
            replace(call, status=CallStatus.FAILED, error_message=message, execution_time_ms=0)
            for row in lost
            if (call := self._items.call(row.tool_call_id))
        ]
        for call in closed:
            self._items.put_call(call)
        return closed

    def complete(self, conn: Conn, stop_reason: str) -> bool:
        """Complete the answer."""
        ended = self._items.change(lambda written: _completed(written, stop_reason))
        return self._count(conn, ended)

    def fail(self, conn: Conn, code: ErrorCode, message: str, unsaved: str) -> bool:
        """Fail the answer once no call is about to be kept, and cancel what has not run."""
        store.hold_closed(conn, self._turn.turn_id)
        ended = self._items.change(lambda written: _failed(written, code, message, storable(unsaved)))
        if ended is not None:
            store.cancel_calls(conn, self._turn.turn_id)
        return self._count(conn, ended)

    def _count(self, conn: Conn, ended: Written | None) -> bool:
        if ended is None:
            return False
        answer = ended.answer
        if not is_ephemeral(self._turn.conversation_id):
            store.add_usage(conn, self._turn.conversation_id, answer.input_tokens, answer.output_tokens)
        used = billing.Used(
            answer.input_tokens, answer.output_tokens, answer.cached_tokens, tool_calls=len(answer.tool_calls)
        )
        billing.count_turn(conn, self._turn.caller, ended.agent_id, used)
        return True


def _after_hop(written: Written, told: Told) -> Written | None:
    answer = written.answer
    if answer.status != MessageStatus.STREAMING:
        return None
    return replace(
        written,
        answer=replace(
            answer,
            content=told.content,
            content_segments=list(told.segments),
            tool_calls=list(told.tool_calls),
            stop_reason=told.stop_reason,
            input_tokens=answer.input_tokens + told.usage.input_tokens,
            output_tokens=answer.output_tokens + told.usage.output_tokens,
            cached_tokens=answer.cached_tokens + told.usage.cache_read,
        ),
    )


def _completed(written: Written, stop_reason: str) -> Written | None:
    if written.answer.status != MessageStatus.STREAMING:
        return None
    return _ended(written, status=MessageStatus.COMPLETED, stop_reason=stop_reason)


def _failed(written: Written, code: ErrorCode, message: str, unsaved: str) -> Written | None:
    """The hop's text may be there though its transaction was not committed: then it is not added again."""
    answer = written.answer
    if answer.status not in OPEN:
        return None
    failure = {"status": MessageStatus.FAILED, "error_code": code.value, "error_message": message}
    if not unsaved or answer.content.endswith(unsaved.strip()):
        return _ended(written, **failure)
    segment = {"type": "text", "text": unsaved, "hop": WORKFLOW_ITERATIONS + 1}
    segments = [*answer.content_segments, segment]
    return _ended(written, content=answer.content + unsaved, content_segments=segments, **failure)


def _ended(written: Written, **columns: object) -> Written:
    took = datetime.now(UTC) - written.answer.created_at
    return replace(
        written,
        answer=replace(written.answer, total_time_ms=round(took.total_seconds() * 1000), **columns),  # type: ignore[arg-type]
    )
