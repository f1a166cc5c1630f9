"""Sending files in a test, and what of them reached the model."""

from typing import Any

from local.bedrock.answer import Say
from local.client import Client
from local.stack import Stack
from tests.unit.knowledge.files import a_pdf

PDF = "application/pdf"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
CV = a_pdf("Ada Lovelace, analyst")


def asked(stack: Stack) -> list[dict[str, Any]]:
    """The messages of the newest request that was streamed."""
    (*_, newest) = [each for each in stack.bedrock.requests if each.operation == "converse-stream"]
    messages: list[dict[str, Any]] = newest.body["messages"]
    return messages


def blocks(messages: list[dict[str, Any]], kind: str) -> list[Any]:
    return [block[kind] for message in messages for block in message["content"] if kind in block]


def said(messages: list[dict[str, Any]]) -> str:
    return "\n".join(blocks(messages, "text"))


def send(stack: Stack, client: Client, conversation: str, *files: dict[str, Any], content: str = "") -> dict[str, Any]:
    """Send a message and return its terminal event; the model only nods."""
    stack.bedrock.script.push(Say("Noted."), when=lambda request: "messages" in request)
    (*_, last) = client.chat(conversation, content, attachments=list(files))
    stack.bedrock.script.clear()
    return last
