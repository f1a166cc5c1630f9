"""From a message to its first hop, and from the state machine to the next ones."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Final

from rolecall.aws.functions import start_machine
from rolecall.conversations import history
from rolecall.db.connect import CommitUnknown
from rolecall.errors import ErrorCode, RolecallError, TurnFailed
from rolecall.protocol.events import ChatContextLoaded, ChatProcessing, ChatSources, Error
from rolecall.telemetry import log as logger
from rolecall.telemetry import log_failure
from rolecall.tools.models import Call
from rolecall.turns import finish, lease, log
from rolecall.turns.books import book_of
from rolecall.turns.hop import done_before, result_event, run_hop
from rolecall.turns.lease import Busy, Claimed, Repeated
from rolecall.turns.listen import Heard
from rolecall.turns.log import Block, Fenced
from rolecall.turns.material import Material, next_material
from rolecall.turns.message import AlreadyStored, store_message
from rolecall.turns.messages import StartTurn
from rolecall.turns.models import HopOutcome, Runtime, TurnRef
from rolecall.turns.opening import Place
from rolecall.turns.retrieve import Retrieved
from rolecall.turns.sender import Sender

OUR_SIDE = "Something went wrong on our side."


OPENING_EVENTS: Final = 2
"""Numbers that come with the claim: that the message was accepted, and the first of what the model says."""


def begin(runtime: Runtime, message: StartTurn, holder: str) -> None:
    """Turn a message into a running turn. Sent or delivered twice, it starts once; `holder` is this invocation."""
    match _claim(runtime, message, holder):
        case Claimed(turn):
            _run_first(runtime, turn, message)
        case Repeated(turn, ended=False, dead=True):
            finish.settle(runtime, turn, finish.DEAD, only_dead=True)
        case Busy(other, _):
            _say_busy(runtime, message, other)
        case Repeated(turn):
            logger.info("message repeated", extra={"turn_id": str(turn.turn_id)})


def _claim(runtime: Runtime, message: StartTurn, holder: str) -> lease.Claim:
    for _ in range(3):
        claim = lease.claim(
            runtime.live,
            message.turn,
            watcher=message.connection_id,
            first_seq=OPENING_EVENTS,
            ttl=runtime.ttl(message.turn),
            holder=holder,
        )
        if not (isinstance(claim, Busy) and claim.dead):
            return claim
        finish.settle(runtime, claim.other, finish.DEAD, only_dead=True)
    return claim


def _say_busy(runtime: Runtime, message: StartTurn, other: TurnRef) -> None:
    """Refuse the message itself; it has become no turn, so it may be sent again under the same id."""
    busy = RolecallError("The agent is still answering the message before.", code=ErrorCode.TURN_IN_PROGRESS)
    runtime.sockets.send(message.connection_id, Error.of(busy, message.chat.request_id))
    logger.info("message refused", extra={"turn_id": str(other.turn_id), "code": busy.code})


def _run_first(runtime: Runtime, turn: TurnRef, message: StartTurn) -> None:
    opening = Block(1, frozenset({message.connection_id}), OPENING_EVENTS)
    sender = _sender(runtime, turn, opening)
    try:
        with sender.meanwhile(ChatProcessing(message="The message was accepted.")):
            stored = store_message(runtime, turn, message)
    except (CommitUnknown, AlreadyStored) as error:
        finish.fail(runtime, sender, error, "")  # if its rows are there, they say how it ended
    except RolecallError as error:
        finish.refuse(runtime, sender, error)
    except Exception as error:  # noqa: BLE001 - whatever it is, the turn must end and the user must be told
        log_failure("message was not stored", error, turn_id=str(turn.turn_id))
        finish.refuse(runtime, sender, TurnFailed(OUR_SIDE))
    else:
        _tell_context(sender, stored.retrieved)
        _go_on(runtime, sender, stored.material, 1)


def _tell_context(sender: Sender, retrieved: Retrieved) -> None:
    if retrieved.sources:
        loaded = ChatContextLoaded(context_chunks=len(retrieved.sources), context_tokens=retrieved.tokens)
        with suppress(Fenced):  # the hop finds out as well
            sender.emit(loaded)
            sender.emit(ChatSources(sources=retrieved.sources))


class HopInProgress(Exception):
    """Another invocation runs this hop; ask again later."""


def next_hop(runtime: Runtime, turn: TurnRef, after_hop: int) -> HopOutcome:
    """Run the hop after a round of tools.

    Raises:
        HopInProgress: another invocation of the same hop is at work.
    """
    hop = after_hop + 1
    if not lease.renew(runtime.live, turn, lease.HOP_SECONDS):
        return HopOutcome("done", hop)
    sender = _sender(runtime, turn)
    try:
        lost, material = _read_turn(runtime, turn, after_hop)
    except RolecallError as error:
        finish.fail(runtime, sender, error, "")
        return HopOutcome("done", hop)
    if done_before(turn, material, hop) is None and not lease.claim_hop(runtime.live, turn, hop):
        raise HopInProgress
    return _go_on(runtime, sender, material, hop, lost, looping=True)


def _read_turn(runtime: Runtime, turn: TurnRef, after_hop: int) -> tuple[list[Call], Material]:
    """Close the calls of the round that got lost, then read what the hop works with."""
    book = book_of(runtime, turn)
    with runtime.db.transaction(turn.caller) as conn:
        lost = book.close_lost(conn, after_hop, history.INTERRUPTED)
        said = book.said(conn)
        page = (said.page_context if said else None) or {}
        place = Place(turn.conversation_id, page.get("taskCode"), more_rows=2, model=page.get("model"))
        opening = book.opening(conn, place, runtime.settings, with_user=False)
        material = next_material(conn, turn, opening, book)
    if material is None:
        raise TurnFailed("The turn's message is gone.")
    return lost, material


def _go_on(
    runtime: Runtime,
    sender: Sender,
    material: Material,
    hop: int,
    lost: Sequence[Call] = (),
    *,
    looping: bool = False,
) -> HopOutcome:
    """Run a hop and what follows from it; `looping`: the state machine asks, and goes on by itself."""
    turn = sender.turn
    heard = Heard(before=material.turn_row.content)
    try:
        _tell_lost(runtime, sender, lost)
        hopped = done_before(turn, material, hop) or run_hop(runtime, sender, material, hop, heard)
        if hopped.ending is not None:
            finish.complete(runtime, sender, hopped.ending)
        elif hopped.outcome.status == "analysed":
            _, planned = _read_turn(runtime, turn, hop)
            return _go_on(runtime, sender, planned, hop + 1)
        elif not looping:
            _start_machine(runtime, turn, hopped.outcome)
    except Fenced:
        logger.info("turn is no longer ours", extra={"turn_id": str(turn.turn_id), "hop": hop})
        finish.abandon(runtime, turn, heard.unsaved)
    except RolecallError as error:
        finish.fail(runtime, sender, error, heard.unsaved)
    except Exception as error:  # noqa: BLE001 - whatever it is, the turn must end and the user must be told
        log_failure("turn broke", error, turn_id=str(turn.turn_id), hop=hop)
        finish.fail(runtime, sender, TurnFailed(OUR_SIDE), heard.unsaved)
    else:
        return hopped.outcome
    return HopOutcome("done", hop)


def _tell_lost(runtime: Runtime, sender: Sender, lost: Sequence[Call]) -> None:
    """Announce calls that got lost; whoever ran them may have taken numbers for events that never came."""
    if lost:
        turn = sender.turn
        head = log.reserve(runtime.live, turn, 0).first - 1
        log.fill_gaps(runtime.live, turn.turn_id, upto=head, ttl=runtime.ttl(turn))
    for call in lost:
        sender.emit(result_event(call))


def _start_machine(runtime: Runtime, turn: TurnRef, outcome: HopOutcome) -> None:
    lease.renew(runtime.live, turn, lease.TOOL_SECONDS)
    name = f"{turn.turn_id}-{turn.fence}"
    start_machine(runtime.settings.turn_machine_arn, name, outcome.plain(turn))


def _sender(runtime: Runtime, turn: TurnRef, opening: Block | None = None) -> Sender:
    return Sender(runtime.live, runtime.sockets, turn, ttl=runtime.ttl(turn), opening=opening)
