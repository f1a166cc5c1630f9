"""OpenAI's Chat Completions, and every server that speaks them, at its `base_url`."""

from typing import TYPE_CHECKING

from pydantic_ai.providers.openai import OpenAIProvider

from rolecall.llm.access import Access
from rolecall.llm.apis.call import ApiStream, open_call
from rolecall.llm.apis.compatible import NO_KEY, chat_model
from rolecall.llm.apis.house import House, effort, key_of
from rolecall.llm.types import ConverseRequest

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model

ADDRESS = "https://api.openai.com/v1"


def _build(model: str, access: Access, client: "AsyncClient") -> "Model":
    provider = OpenAIProvider(access.base_url or ADDRESS, key_of(access) or NO_KEY, http_client=client)
    return chat_model(model, provider, own=access.base_url is None)


HOUSE = House(name="openai", build=_build, thinking=effort)


def open_stream(model: str, request: ConverseRequest, *, access: Access, read_timeout: float) -> ApiStream:
    """Ask a model of OpenAI's API; raise ModelError."""
    return open_call(HOUSE, model, request, access=access, read_timeout=read_timeout)
