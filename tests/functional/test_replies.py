"""Replies hold what the protocol says that they hold: nothing missing, nothing more."""

from pathlib import Path
from typing import Any

import pytest

from local.client import Client
from local.uploads import attach_bytes, upload
from rolecall.protocol.replies import REPLIES


def test_every_reply_is_as_documented(recruiter: Client, tmp_path: Path) -> None:
    seen: set[str] = set()

    def ask(action: str, **fields: Any) -> Any:
        seen.add(action)
        return REPLIES[action].model_validate(recruiter.request(action, **fields), strict=True)

    ask("whoAmI")
    conversation = ask("createConversation").conversation.conversation_id
    sent = ask("agentChat", conversationId=conversation, content="Who am I?")
    list(recruiter.follow(sent.turn_id, 0))
    ask("resumeTurn", turnId=sent.turn_id)
    ask("cancelTurn", turnId=sent.turn_id)
    user, answer = ask("conversationMessages", conversationId=conversation).messages
    assert (user.turn_id, answer.turn_id) == (None, sent.turn_id)
    assert answer.tool_calls
    assert ask("turnTimeline", turnId=sent.turn_id).entries
    ask("giveFeedback", conversationId=conversation, messageId=sent.turn_id, rating=5, comment="Good.")
    ask("giveFeedback", conversationId=conversation, rating=4)
    assert ask("conversationMessages", conversationId=conversation).messages[1].feedback.comment == "Good."
    ask("listConversations")
    ask("updateConversation", conversationId=conversation, title="Renamed")
    ask("deleteConversation", conversationId=conversation)
    other = ask("createConversation").conversation.conversation_id

    assert ask("requestUpload", purpose="attachment", filename="a.txt", mimeType="text/plain", sizeBytes=1).key
    cv = attach_bytes(recruiter, "cv.txt", b"Ada counts.", "text/plain")
    list(recruiter.chat(other, "", attachments=[cv]))
    said = ask("conversationMessages", conversationId=other).messages[0]
    assert said.attachments[0].size_bytes == 11
    ask("attachmentUrl", conversationId=other, messageId=said.message_id, key=cv["key"])

    announced = ask("requestUpload", filename="a.txt", mimeType="text/plain", sizeBytes=1)
    file = tmp_path / "leave.md"
    file.write_text("# Leave\n\nParental leave lasts eighteen weeks.")
    document = upload(recruiter, file, lambda *_: None)
    ask("listDocuments")
    events = list(recruiter.chat(other, "How long does parental leave last?"))
    passage = ask("readPassage", chunkId=events[-1]["sources"][0]["chunkId"])
    assert "eighteen weeks" in passage.content
    ask("deleteDocument", documentId=document.document_id)
    ask("deleteDocument", documentId=announced.document_id)

    agent = ask("whoAmI").default_agent_id
    assert ask("updateAgent", agentId=agent).agent.agent_id == agent
    ask("listModels")
    ask("setModelCredential", provider="openai", apiKey="sk-0123456789", check=False)
    assert ask("listModelCredentials").credentials[0].hint == "6789"
    ask("deleteModelCredential", provider="openai")

    assert seen == set(REPLIES)


def test_a_field_that_is_not_documented_is_noticed() -> None:
    with pytest.raises(ValueError, match="extra"):
        REPLIES["cancelTurn"].model_validate({"turnId": "t", "cancelled": True, "more": 1})
