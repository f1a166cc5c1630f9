"""Ending a turn: first its row, then its terminal event, then the conversation's lease. Once."""

from contextlib import suppress
from typing import Final

from rolecall.aws.functions import start
from rolecall.conversations.models import Message, MessageStatus
from rolecall.errors import RECOVERY_HINTS, ErrorCode, RolecallError, TurnFailed
from rolecall.protocol.events import ChatComplete, ChatError, Error, TurnEvent
from rolecall.telemetry import log as logger
from rolecall.telemetry import log_failure
from rolecall.turns import lease, log
from rolecall.turns.books import book_of
from rolecall.turns.log import Fenced
from rolecall.turns.messages import StartTurn
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.outcome import Ending
from rolecall.turns.sender import Sender

INTERRUPTED = "The answer was interrupted."
STOPPED = "You stopped the answer."
DEAD: Final = TurnFailed(INTERRUPTED, code=ErrorCode.STREAM_TIMEOUT)
"""Why a turn ends that nobody works on any more."""


def complete(runtime: Runtime, sender: Sender, ending: Ending) -> None:
    """End the turn well."""
    turn = sender.turn
    book = book_of(runtime, turn)
    with runtime.db.transaction(turn.caller) as conn:
        if not book.complete(conn, ending.stop_reason):
            raise Fenced
        row = book.answer(conn)
    if row is None:
        raise Fenced
    sender.end(_complete_event(row))
    lease.release(runtime.live, turn)
    if turn.stored:
        _start_afterwards(runtime, turn)
    logger.info("turn completed", extra={"turn_id": str(turn.turn_id), "stop_reason": ending.stop_reason})


def _start_afterwards(runtime: Runtime, turn: TurnRef) -> None:
    """Have the conversation summarized and named; where that does not begin, it does after the next turn."""
    if not turn.stored:
        return
    try:
        start(runtime.settings.afterwards_function, {"turn": turn.plain()})
    except Exception as error:  # noqa: BLE001 - the turn has ended well, and nothing may change that
        log_failure("afterwards was not started", error, turn_id=str(turn.turn_id))


def fail(runtime: Runtime, sender: Sender, error: RolecallError, unsaved: str) -> None:
    """End the turn in an error; `unsaved` is the text that the watchers have seen and the row does not hold.

    If the row says that the turn has ended, that is what the watchers are told. If the turn is no longer the sender's,
    whoever took it ends it.
    """
    turn = sender.turn
    if not lease.renew(runtime.live, turn, lease.HOP_SECONDS):
        return
    _end(runtime, sender, _event_after(runtime, turn, error, unsaved))
    logger.warning("turn failed", extra={"turn_id": str(turn.turn_id), "code": error.code})


def abandon(runtime: Runtime, turn: TurnRef, unsaved: str) -> None:
    """Close the row of a turn that was ended by somebody who did not find it."""
    with runtime.db.transaction(turn.caller) as conn:
        book_of(runtime, turn).fail(conn, ErrorCode.CANCELLED, STOPPED, unsaved)


def _event_after(runtime: Runtime, turn: TurnRef, error: RolecallError, unsaved: str) -> TurnEvent:
    book = book_of(runtime, turn)
    with runtime.db.transaction(turn.caller) as conn:
        book.fail(conn, error.code, error.message, unsaved)
        row = book.answer(conn)
    if row is None:
        return _error_event(error, unsaved)
    event = terminal_event(row)
    if isinstance(event, ChatError) and (event.code, event.message) == (error.code, error.message):
        return event.model_copy(update={"recovery_hint": error.recovery_hint})  # a row keeps no hint of its own
    return event


def refuse(runtime: Runtime, sender: Sender, error: RolecallError) -> None:
    """End a turn that never had rows."""
    _end(runtime, sender, _error_event(error, ""))
    logger.info("turn refused", extra={"turn_id": str(sender.turn.turn_id), "code": error.code})


def _end(runtime: Runtime, sender: Sender, event: TurnEvent) -> None:
    with suppress(Fenced):  # somebody else has ended it
        sender.end(event)
    lease.release(runtime.live, sender.turn)


def settle(runtime: Runtime, turn: TurnRef, error: RolecallError, *, only_dead: bool) -> TurnEvent | None:
    """Take a turn from whoever had it and end it, keeping all that was said.

    Args:
        runtime: the stores.
        turn: the turn, with the fence it is believed to have.
        error: why it ends, unless its row says that it had ended.
        only_dead: leave it alone while somebody works on it.

    Returns:
        What the watchers are told: the error, or how the turn had ended by its row. None where the turn has ended, is
        alive, or somebody else is settling it.
    """
    taken = lease.take_over(runtime.live, turn, only_dead=only_dead)
    if taken is None:
        return None
    ttl = runtime.ttl(turn)
    head = log.reserve(runtime.live, taken, 0).first - 1
    log.fill_gaps(runtime.live, taken.turn_id, upto=head, ttl=ttl)
    event = _event_after(runtime, taken, error, _unsaved(runtime, taken))
    _end(runtime, Sender(runtime.live, runtime.sockets, taken, ttl=ttl), event)
    logger.warning("turn settled", extra={"turn_id": str(taken.turn_id), "code": error.code})
    return event


def _unsaved(runtime: Runtime, turn: TurnRef) -> str:
    """What was streamed and is not in the row. A hop may have been saved and its calls not announced yet."""
    text = log.unsaved_text(log.read(runtime.live, turn.turn_id))
    with runtime.db.transaction(turn.caller, read_only=True) as conn:
        row = book_of(runtime, turn).answer(conn)
    return "" if row is None or row.content.endswith(text.strip() or "\0") else text


def forestall(runtime: Runtime, turn: TurnRef, error: RolecallError, connection_id: str) -> bool:
    """End a turn before it begins, and tell the connection. False: it has begun meanwhile."""
    ttl = runtime.ttl(turn)
    claimed = lease.claim(runtime.live, turn, watcher=connection_id, first_seq=0, ttl=ttl)
    if not isinstance(claimed, lease.Claimed):
        return False
    refuse(runtime, Sender(runtime.live, runtime.sockets, claimed.turn, ttl=ttl), error)
    return True


def settle_lost(runtime: Runtime, message: StartTurn, holder: str, error: RolecallError) -> None:
    """End the turn of a message whose function failed for good.

    A turn that never began is only refused. One that another invocation holds goes on, while that is alive.
    """
    item = lease.read(runtime.live, message.turn.turn_id)
    if item is None:
        runtime.sockets.send(message.connection_id, Error.of(error, message.chat.request_id))
        return
    settle(runtime, lease.turn_of(item), error, only_dead=item.get("holder") != holder)


def terminal_event(row: Message) -> TurnEvent:
    """The terminal event of a turn that has ended, from its row."""
    if row.status == MessageStatus.COMPLETED:
        return _complete_event(row)
    code = ErrorCode.stored(row.error_code)
    return ChatError(
        code=code,
        message=row.error_message or INTERRUPTED,
        recovery_hint=RECOVERY_HINTS[code],
        content=row.content,
    )


def _complete_event(row: Message) -> ChatComplete:
    ending = Ending(row.stop_reason or "end_turn")
    return ChatComplete(
        message_id=str(row.id),
        content=row.content,
        stop_reason=ending.stop_reason,
        notice=ending.notice,
        input_tokens=row.input_tokens,
        output_tokens=row.output_tokens,
        cached_tokens=row.cached_tokens,
        total_time_ms=row.total_time_ms or 0,
        sources=row.sources,
    )


def _error_event(error: RolecallError, content: str) -> ChatError:
    return ChatError(code=error.code, message=error.message, recovery_hint=error.recovery_hint, content=content)
