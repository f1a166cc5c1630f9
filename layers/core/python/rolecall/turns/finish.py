"""Ending a turn: first its row, then its terminal event, then the conversation's lease. Once."""

from contextlib import suppress

from rolecall.conversations import store as conversations
from rolecall.conversations.models import Message, MessageStatus
from rolecall.errors import RECOVERY_HINTS, ErrorCode, RolecallError
from rolecall.protocol.events import ChatComplete, ChatError, Error, TurnEvent
from rolecall.telemetry import log as logger
from rolecall.turns import lease, log, store
from rolecall.turns.log import Fenced
from rolecall.turns.messages import StartTurn
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.outcome import Ending
from rolecall.turns.sender import Sender

INTERRUPTED = "The answer was interrupted."


def complete(runtime: Runtime, sender: Sender, ending: Ending) -> None:
    """End the turn well."""
    turn = sender.turn
    with runtime.db.transaction(turn.caller) as conn:
        if not store.complete(conn, turn, ending.stop_reason):
            raise Fenced
        row = conversations.turn_row(conn, turn.turn_id)
    if row is None:
        raise Fenced
    sender.end(_complete_event(row))
    lease.release(runtime.live, turn.conversation_id, turn.turn_id)
    logger.info("turn completed", extra={"turn_id": str(turn.turn_id), "stop_reason": ending.stop_reason})


def fail(runtime: Runtime, sender: Sender, error: RolecallError, content: str) -> None:
    """End the turn in an error; `content` is the text that the watchers have seen.

    If it is no longer the sender's, whoever took it ends it.
    """
    turn = sender.turn
    if not lease.renew(runtime.live, turn, lease.HOP_SECONDS):
        return
    with runtime.db.transaction(turn.caller) as conn:
        store.fail(conn, turn, error.code, error.message, content)
    _end(runtime, sender, _error_event(error, content))
    logger.warning("turn failed", extra={"turn_id": str(turn.turn_id), "code": error.code})


def refuse(runtime: Runtime, sender: Sender, error: RolecallError) -> None:
    """End a turn that never had rows."""
    _end(runtime, sender, _error_event(error, ""))
    logger.info("turn refused", extra={"turn_id": str(sender.turn.turn_id), "code": error.code})


def _end(runtime: Runtime, sender: Sender, event: TurnEvent) -> None:
    with suppress(Fenced):  # somebody else has ended it
        sender.end(event)
    lease.release(runtime.live, sender.turn.conversation_id, sender.turn.turn_id)


def settle(runtime: Runtime, turn: TurnRef, error: RolecallError, *, only_dead: bool) -> bool:
    """Take a turn from whoever had it and end it, keeping all that was said.

    Args:
        runtime: the stores.
        turn: the turn, with the fence it is believed to have.
        error: why it ends, unless its row says that it had ended.
        only_dead: leave it alone while somebody works on it.

    Returns:
        False where the turn has ended, is alive, or somebody else is settling it.
    """
    taken = lease.take_over(runtime.live, turn, only_dead=only_dead)
    if taken is None:
        return False
    ttl = runtime.settings.live_ttl_seconds
    head = log.reserve(runtime.live, taken, 0).first - 1
    log.fill_gaps(runtime.live, taken.turn_id, upto=head, ttl=ttl)
    seen = log.text_so_far(log.read(runtime.live, taken.turn_id))
    with runtime.db.transaction(taken.caller) as conn:
        store.fail(conn, taken, error.code, error.message, seen)
        row = conversations.turn_row(conn, taken.turn_id)
    sender = Sender(runtime.live, runtime.sockets, taken, ttl=ttl)
    _end(runtime, sender, terminal_event(row) if row else _error_event(error, seen))
    logger.warning("turn settled", extra={"turn_id": str(taken.turn_id), "code": error.code})
    return True


def settle_lost(runtime: Runtime, message: StartTurn, error: RolecallError) -> None:
    """End the turn of a message whose function failed for good; one that never began is only told."""
    if lease.read(runtime.live, message.turn.turn_id) is not None:
        settle(runtime, message.turn, error, only_dead=False)
        return
    runtime.sockets.send(message.connection_id, Error.of(error, message.chat.request_id))


def terminal_event(row: Message) -> TurnEvent:
    """The terminal event of a turn that has ended, from its row."""
    if row.status == MessageStatus.COMPLETED:
        return _complete_event(row)
    code = ErrorCode(row.error_code or ErrorCode.UNKNOWN)
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
        total_time_ms=row.total_time_ms or 0,
        sources=row.sources,
    )


def _error_event(error: RolecallError, content: str) -> ChatError:
    return ChatError(code=error.code, message=error.message, recovery_hint=error.recovery_hint, content=content)
