"""One function an action that `front` hands on: from the request to the reply's data."""

from collections.abc import Callable
from typing import Any, Final

from functions.chat.answers import attachments, conversations, documents, models, people, turns
from functions.chat.answers.asked import Asked, Data
from rolecall.protocol import model_requests, requests
from rolecall.protocol.requests import Request
from rolecall.turns.models import Runtime

Answer = Callable[[Runtime, Asked, Any], Data]

ANSWERS: Final[dict[type[Request], Answer]] = {
    requests.WhoAmI: people.who_am_i,
    requests.CreateConversation: conversations.create_conversation,
    requests.ListConversations: conversations.list_conversations,
    requests.UpdateConversation: conversations.update_conversation,
    requests.DeleteConversation: conversations.delete_conversation,
    requests.ConversationMessages: conversations.conversation_messages,
    requests.ResumeTurn: turns.resume_turn,
    requests.CancelTurn: turns.cancel_turn,
    requests.TurnTimeline: turns.turn_timeline,
    requests.GiveFeedback: conversations.give_feedback,
    requests.RequestUpload: documents.request_upload,
    requests.AttachmentUrl: attachments.attachment_url,
    requests.ListDocuments: documents.list_documents,
    requests.DeleteDocument: documents.delete_document,
    requests.ReadPassage: documents.read_passage,
    model_requests.SetModelCredential: models.set_model_credential,
    model_requests.ListModelCredentials: models.list_model_credentials,
    model_requests.DeleteModelCredential: models.delete_model_credential,
    model_requests.ListModels: models.list_models,
    model_requests.UpdateAgent: models.update_agent,
}
"""To add an action: its model in `protocol.requests`, its function in the module of its subject, its line here."""
