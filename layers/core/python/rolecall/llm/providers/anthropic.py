"""Anthropic's Messages API; reasoning goes back to it with its signature."""

from typing import TYPE_CHECKING, Any

from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.providers.anthropic import AnthropicProvider

from rolecall.llm.access import Access
from rolecall.llm.apis.call import ApiStream, open_call
from rolecall.llm.apis.house import House, Thinking, key_of
from rolecall.llm.known import about
from rolecall.llm.types import ConverseRequest

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model

NO_KEY = "none"
"""A proxy may add the key itself; the SDK wants one."""


def _build(model: str, access: Access, client: "AsyncClient") -> "Model":
    address = access.base_url or about("anthropic").address
    provider = AnthropicProvider(api_key=key_of(access) or NO_KEY, base_url=address, http_client=client)
    return AnthropicModel(model, provider=provider)


def _thinking(thinking: Thinking) -> dict[str, Any]:
    return {"anthropic_thinking": {**thinking}}


HOUSE = House(name="anthropic", build=_build, thinking=_thinking, signed_by="anthropic", caches=True)


def open_stream(model: str, request: ConverseRequest, *, access: Access, read_timeout: float) -> ApiStream:
    """Ask a model of Anthropic's API; raise ModelError."""
    return open_call(HOUSE, model, request, access=access, read_timeout=read_timeout)
