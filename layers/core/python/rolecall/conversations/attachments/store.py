"""SQL of attached files. Reading comes with the messages themselves (`rolecall.conversations.store`)."""

from collections.abc import Sequence
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Connection
from psycopg.rows import class_row
from psycopg.types.json import Jsonb

from rolecall.conversations.attachments.models import Attachment
from rolecall.ids import ConversationId

INSERT: Final[LiteralString] = """
    INSERT INTO agent_message_attachment
        (id, message_id, conversation_id, company_id, user_id, position, key, filename, mime_type, size_bytes,
         document_name)
    SELECT file.id, message.id, message.conversation_id, message.company_id, message.user_id, file.position, file.key,
           file.filename, file.mime_type, file.size_bytes, file.document_name
    FROM agent_message AS message, jsonb_to_recordset(%(files)s) AS file(
        id uuid, position smallint, key text, filename text, mime_type text, size_bytes bigint, document_name text
    )
    WHERE message.id = %(message_id)s
"""
SELECT_ONE: Final[LiteralString] = """
    SELECT file.id, file.position, file.key, file.filename, file.mime_type, file.size_bytes, file.document_name
    FROM agent_message_attachment AS file JOIN agent_conversation AS conversation ON conversation.id = conversation_id
    WHERE conversation_id = %(conversation_id)s AND message_id = %(message_id)s AND key = %(key)s
      AND conversation.status <> 'DELETED'
"""
SELECT_KEYS: Final[LiteralString] = """
    SELECT DISTINCT key FROM agent_message_attachment AS file
    WHERE conversation_id = %(conversation_id)s AND NOT EXISTS (
        SELECT FROM agent_message_attachment AS other
        JOIN agent_conversation AS conversation ON conversation.id = other.conversation_id
        WHERE other.user_id = file.user_id AND other.key = file.key AND other.conversation_id <> file.conversation_id
          AND conversation.status <> 'DELETED'
    )
"""


def insert(conn: Connection[Any], message_id: UUID, files: Sequence[dict[str, Any]]) -> None:
    """Store the files of a message that was just stored; each as `Attachment.plain` renders it."""
    if files:
        conn.execute(INSERT, {"message_id": message_id, "files": Jsonb(list(files))})


def select(conn: Connection[Any], conversation_id: ConversationId, message_id: UUID, key: str) -> Attachment | None:
    """Read a file of a message that the caller may see."""
    values = {"conversation_id": conversation_id, "message_id": message_id, "key": key}
    with conn.cursor(row_factory=class_row(Attachment)) as cursor:
        return cursor.execute(SELECT_ONE, values).fetchone()


def keys_of(conn: Connection[Any], conversation_id: ConversationId) -> list[str]:
    """Keys of a conversation's files that no other conversation of its person's has as well."""
    return [key for (key,) in conn.execute(SELECT_KEYS, {"conversation_id": conversation_id})]
