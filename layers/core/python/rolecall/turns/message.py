"""A message becomes rows: who is spoken to, what the turn knows of its surroundings and of documents."""

from dataclasses import dataclass
from typing import Any

from psycopg import Connection

from rolecall.conversations.envelope import build_context
from rolecall.conversations.prompts import preamble
from rolecall.errors import InvalidRequest, TurnFailed
from rolecall.turns import store
from rolecall.turns.material import Material, Setting, read_material, read_setting
from rolecall.turns.messages import StartTurn
from rolecall.turns.models import Runtime, TurnRef
from rolecall.turns.retrieve import Question, Retrieved, has_documents, question_vector, retrieve


@dataclass(frozen=True, slots=True)
class Stored:
    """The turn's rows are there; this is what its first hop works with."""

    material: Material
    retrieved: Retrieved


def store_message(runtime: Runtime, turn: TurnRef, message: StartTurn) -> Stored:
    """Read what the turn needs and store its rows.

    No transaction is held while the question is embedded.

    Raises:
        TurnFailed, InvalidRequest: the turn cannot begin; nothing is stored.
    """
    with runtime.db.transaction(turn.caller) as conn:
        setting = _setting(runtime, conn, turn, message)
        if not has_documents(conn, turn.caller, setting, message.chat.document_ids):
            return _store(conn, turn, message, setting, Retrieved())
    question = _question(runtime, message)
    with runtime.db.transaction(turn.caller) as conn:
        return _store(conn, turn, message, setting, retrieve(conn, turn.caller, setting, question))


def _question(runtime: Runtime, message: StartTurn) -> Question:
    chat = message.chat
    vector = question_vector(chat.content, runtime.settings)
    return Question(chat.content, vector, runtime.settings.embedding_model, chat.document_ids)


def _setting(runtime: Runtime, conn: Connection[Any], turn: TurnRef, message: StartTurn) -> Setting:
    return read_setting(conn, turn.caller, turn.conversation_id, runtime.settings, message.chat.task_code)


def _store(conn: Connection[Any], turn: TurnRef, message: StartTurn, setting: Setting, retrieved: Retrieved) -> Stored:
    new = store.NewRows(
        message_id=message.message_id,
        content=message.chat.content,
        page_context=_page(conn, turn, message, setting),
        rag_context={"block": retrieved.block} if retrieved.block else None,
        sources=retrieved.sources,
        model=str(setting.spec),
    )
    if not store.insert_rows(conn, turn, new):
        raise InvalidRequest("messageId is taken already; give each message an id of its own.")
    material = read_material(conn, turn.caller, setting, turn.turn_id, forced=message.chat.forced_tools)
    if material is None:
        raise TurnFailed("The message could not be stored.")
    return Stored(material, retrieved)


def _page(conn: Connection[Any], turn: TurnRef, message: StartTurn, setting: Setting) -> dict[str, Any]:
    chat = message.chat
    context = build_context(
        conn,
        turn.caller,
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
        "preamble": preamble(context, summary=setting.conversation.context_summary),
    }
