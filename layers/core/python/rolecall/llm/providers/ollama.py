"""Models on a machine of one's own, served by Ollama."""

from typing import TYPE_CHECKING

from pydantic_ai.providers.ollama import OllamaProvider

from rolecall.llm.access import Access
from rolecall.llm.addresses import openai_compatible
from rolecall.llm.apis.call import ApiStream, open_call
from rolecall.llm.apis.compatible import NO_KEY, chat_model
from rolecall.llm.apis.house import House, effort, key_of
from rolecall.llm.types import ConverseRequest

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model


def _build(model: str, access: Access, client: "AsyncClient") -> "Model":
    provider = OllamaProvider(
        openai_compatible("ollama", access.base_url), key_of(access) or NO_KEY, http_client=client
    )
    return chat_model(model, provider)


HOUSE = House(name="ollama", build=_build, thinking=effort, pdfs=False)


def open_stream(model: str, request: ConverseRequest, *, access: Access, read_timeout: float) -> ApiStream:
    """Ask a model that Ollama serves; raise ModelError."""
    return open_call(HOUSE, model, request, access=access, read_timeout=read_timeout)
