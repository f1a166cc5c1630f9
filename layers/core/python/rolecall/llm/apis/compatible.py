"""Servers that speak OpenAI's Chat Completions: what a call to any of them needs."""

from typing import Final

from openai import AsyncOpenAI
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.profiles.openai import OpenAIModelProfile
from pydantic_ai.providers import Provider

NO_KEY: Final = "none"
"""Servers of one's own ask for no key; the SDK does."""


def chat_model(model: str, provider: Provider[AsyncOpenAI], *, own: bool = False) -> OpenAIChatModel:
    """Make a model of a server; `own` says that it is OpenAI's."""
    profile = OpenAIModelProfile(
        # Without its last word an answer broke off, even where the socket was closed in good order.
        openai_chat_streaming_requires_finish_reason=True,
        openai_chat_supports_max_completion_tokens=own,
    )
    return OpenAIChatModel(model, provider=provider, profile=profile)
