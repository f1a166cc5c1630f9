"""A message becomes rows: who is spoken to, what the turn knows of its surroundings and of documents."""

from dataclasses import dataclass, replace
from typing import Any

from psycopg import Connection
from psycopg.errors import QueryCanceled

from rolecall.conversations import store as conversations
from rolecall.conversations.attachments.models import attachments_of
from rolecall.conversations.attachments.take import Taken, named, take
from rolecall.conversations.envelope import build_context
from rolecall.conversations.models import Message, Role
from rolecall.conversations.prompts import preamble
from rolecall.errors import ErrorCode, InvalidRequest, RolecallError, TurnFailed
from rolecall.telemetry import log
from rolecall.text import is_blank
from rolecall.turns.book import Book
from rolecall.turns.books import book_of
from rolecall.turns.material import Material, first_material
from rolecall.turns.messages import StartTurn
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.opening import Opening, Place
from rolecall.turns.retrieve import Question, Retrieved, answers_from_documents, question_vector, retrieve


@dataclass(frozen=True, slots=True)
class Stored:
    """The turn's rows are there; this is what its first hop works with."""

    material: Material
    retrieved: Retrieved


class AlreadyStored(TurnFailed):
    """The message has its rows from before, though its turn was forgotten since: they say how it ended."""


def store_message(runtime: Runtime, turn: TurnRef, message: StartTurn) -> Stored:
    """Read what the turn needs and store its rows.

    No transaction is held while the question is embedded. A snapshot of the user that does not come in time is left
    out.

    Raises:
        TurnFailed, InvalidRequest, AttachmentFailed: the turn cannot begin; nothing is stored.
    """
    taken = take(runtime.settings.uploads_bucket, turn.caller, message.chat.attachments)
    try:
        return _store_message(runtime, turn, message, taken, with_user=True)
    except QueryCanceled:
        log.warning("context fetch gave nothing", extra={"what": "user", "turn_id": str(turn.turn_id)})
        return _store_message(runtime, turn, message, taken, with_user=False)


def _store_message(runtime: Runtime, turn: TurnRef, message: StartTurn, taken: Taken, *, with_user: bool) -> Stored:
    chat = message.chat
    place = Place(turn.conversation_id, chat.task_code, replaces=chat.replaces, model=chat.model)
    book = book_of(runtime, turn)
    with runtime.db.transaction(turn.caller) as conn:
        opening = book.opening(conn, place, runtime.settings, with_user=with_user)
        if is_blank(chat.content) or not answers_from_documents(opening, chat.document_ids):
            return _store(conn, book, turn, message, opening, Retrieved(), taken)
    question = _question(runtime, message)
    with runtime.db.transaction(turn.caller) as conn:
        found = retrieve(conn, turn.caller, opening.setting, question)
        return _store(conn, book, turn, message, opening, found, taken)


def _question(runtime: Runtime, message: StartTurn) -> Question:
    chat = message.chat
    vector = question_vector(chat.content, runtime.settings)
    return Question(chat.content, vector, runtime.settings.embedding_model, chat.document_ids)


def _store(
    conn: Connection[Any],
    book: Book,
    turn: TurnRef,
    message: StartTurn,
    opening: Opening,
    retrieved: Retrieved,
    taken: Taken,
) -> Stored:
    earlier = [file for row in opening.rows for file in attachments_of(row.attachments)]
    user_row = Message.new(
        message.message_id,
        turn.conversation_id,
        Role.USER,
        content=message.chat.content,
        page_context=_page(conn, turn, message, opening),
        rag_context={"block": retrieved.block} if retrieved.block else None,
        attachments=[file.plain() for file in named(taken.files, earlier)],
    )
    turn_row = Message.new(turn.turn_id, turn.conversation_id, Role.ASSISTANT, sources=retrieved.sources)
    if not book.begin(conn, user_row, turn_row, opening.setting, replaces=message.chat.replaces):
        raise _not_stored(conn, book, turn, message)
    material = first_material(conn, turn.caller, opening, user_row, turn_row, message.chat.forced_tools)
    return Stored(replace(material, held={**taken.held}), retrieved)


def _not_stored(conn: Connection[Any], book: Book, turn: TurnRef, message: StartTurn) -> RolecallError:
    if book.answer(conn) is not None:
        return AlreadyStored("The answer was interrupted.", code=ErrorCode.STREAM_TIMEOUT)
    if message.chat.replaces and not conversations.is_current(conn, turn.conversation_id, message.chat.replaces):
        return InvalidRequest(
            "replaces: this conversation has no such message of yours any more.", hint="Load the conversation again."
        )
    return InvalidRequest("messageId is taken already; give each message an id of its own.")


def _page(conn: Connection[Any], turn: TurnRef, message: StartTurn, opening: Opening) -> dict[str, Any]:
    chat = message.chat
    context = build_context(
        conn,
        turn.caller,
        opening.user,
        page_context=chat.page_context,
        entity_id=chat.entity_id,
        page_pathname=chat.page_pathname,
        timezone=chat.timezone,
    )
    return {
        "pageContext": chat.page_context,
        "entityId": chat.entity_id,
        "pagePathname": chat.page_pathname,
        "timezone": chat.timezone,
        "taskCode": chat.task_code,
        "forcedTools": chat.forced_tools,
        "model": chat.model,
        "preamble": preamble(context),
        "summary": opening.summary,
    }
