"""What happens to a body that arrives on a socket: checked, claimed, acknowledged, handed on. No database here."""

from dataclasses import dataclass
from typing import Any, Final
from uuid import uuid4

from rolecall.aws.functions import start
from rolecall.aws.live import LiveTable, Write
from rolecall.aws.packed import until
from rolecall.errors import ErrorCode, RolecallError, Unauthorized
from rolecall.identity import Caller, token_expired
from rolecall.ids import MessageId
from rolecall.protocol.events import Error, Frame, Pong, Reply
from rolecall.protocol.model_requests import SetModelCredential
from rolecall.protocol.parse import parse, request_id_of
from rolecall.protocol.requests import (
    AgentChat,
    CancelTurn,
    ConversationMessages,
    CreateConversation,
    DeleteConversation,
    Ping,
    Request,
    ResumeTurn,
    WhoAmI,
)
from rolecall.settings import Settings
from rolecall.telemetry import log_failure
from rolecall.turns.lease import message_key
from rolecall.turns.messages import StartTurn

FOR_VISITORS: Final = frozenset(
    {Ping, WhoAmI, CreateConversation, ConversationMessages, DeleteConversation, AgentChat, ResumeTurn, CancelTurn}
)
"""What somebody without an account may ask for."""


@dataclass(frozen=True, slots=True)
class Arrival:
    """A body, and whose socket it came on."""

    body: str
    caller: Caller
    expires_at: float
    """When the caller's token ends, seconds since the epoch."""
    connection_id: str


def receive(arrival: Arrival, live: LiveTable, settings: Settings) -> Frame | None:
    """Take one body.

    Returns:
        What to send back at once; None where the answer comes from another function.
    """
    try:
        _check_token(arrival)
        return _hand_on(parse(arrival.body), arrival, live, settings)
    except RolecallError as error:
        return Error.of(error, request_id_of(arrival.body))
    except Exception as error:  # noqa: BLE001 - the caller gets an answer whatever happened
        log_failure("request was not handed on", error)
        failed = RolecallError("The request could not be taken right now.", hint="Send it again in a moment.")
        return Error.of(failed, request_id_of(arrival.body))


def _check_token(arrival: Arrival) -> None:
    if token_expired(arrival.expires_at):
        raise Unauthorized("The session has expired.", hint="Sign in again, then connect anew.")


def _hand_on(request: Request, arrival: Arrival, live: LiveTable, settings: Settings) -> Frame | None:
    if arrival.caller.anonymous and type(request) not in FOR_VISITORS:
        raise Unauthorized("This is for people who have signed in.", hint="Sign in, then try again.")
    if isinstance(request, Ping):
        return Pong(request_id=request.request_id)
    if isinstance(request, AgentChat):
        return _start_turn(request, arrival, live, settings)
    start(
        settings.actions_function,
        {
            "request": _payload(request, arrival.caller, settings),
            "caller": arrival.caller.plain(),
            "connectionId": arrival.connection_id,
            "deliveryId": str(uuid4()),
        },
    )
    return None


def _payload(request: Request, caller: Caller, settings: Settings) -> dict[str, Any]:
    payload = request.model_dump(mode="json", by_alias=True, exclude_unset=True)  # null and not said differ
    if isinstance(request, SetModelCredential):
        from rolecall.llm.vault.handover import sealed_key  # lazily: hardly any request brings a key

        payload["apiKey"] = sealed_key(request, caller, settings)
    return payload


def _start_turn(chat: AgentChat, arrival: Arrival, live: LiveTable, settings: Settings) -> Frame:
    message = StartTurn(chat, MessageId(chat.message_id or uuid4()), arrival.caller, arrival.connection_id)
    if chat.attachments and not message.turn.stored:
        raise RolecallError(
            "Files cannot go with a message that is not kept.",
            code=ErrorCode.ATTACHMENT_FAILED,
            hint="Send the message without files, or in a conversation that is kept.",
        )
    first = _claim_message(live, message, settings)
    start(settings.turn_function, message.plain())
    ids = {"turnId": str(message.turn.turn_id), "messageId": str(message.message_id)}
    return Reply(request_id=chat.request_id, data=ids | {"repeated": not first})


def _claim_message(live: LiveTable, message: StartTurn, settings: Settings) -> bool:
    """Note that the message came. A repeat is handed on too: the first may have died before its turn began."""
    claimed = live.write(
        Write(
            verb="Put",
            key=message_key(message.turn.turn_id),
            item=message.turn.plain() | {"expires_at": until(message.turn.ttl(settings))},
            condition="attribute_not_exists(pk)",
        )
    )
    return claimed is not None
