"""Models that vLLM serves."""

from typing import TYPE_CHECKING

from pydantic_ai.providers.vllm import VLLMProvider

from rolecall.llm.access import Access
from rolecall.llm.apis.call import ApiStream, open_call
from rolecall.llm.apis.compatible import NO_KEY, chat_model
from rolecall.llm.apis.house import House, effort, key_of
from rolecall.llm.known import about
from rolecall.llm.types import ConverseRequest

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model


def _build(model: str, access: Access, client: "AsyncClient") -> "Model":
    address = access.base_url or about("vllm").address
    provider = VLLMProvider(base_url=address, api_key=key_of(access) or NO_KEY, http_client=client)
    return chat_model(model, provider)


HOUSE = House(name="vllm", build=_build, thinking=effort, pdfs=False)


def open_stream(model: str, request: ConverseRequest, *, access: Access, read_timeout: float) -> ApiStream:
    """Ask a model that vLLM serves; raise ModelError."""
    return open_call(HOUSE, model, request, access=access, read_timeout=read_timeout)
