"""Google's Gemini API (`google:`, also `google-gla:`)."""

from typing import TYPE_CHECKING, Any

from google.genai import Client
from google.genai.types import HttpOptions
from pydantic_ai.models.google import GoogleModel
from pydantic_ai.providers.google import GoogleProvider

from rolecall.llm.access import Access
from rolecall.llm.apis.call import ApiStream, open_call
from rolecall.llm.apis.house import House, Thinking, key_of
from rolecall.llm.apis.sockets import tls
from rolecall.llm.known import about
from rolecall.llm.types import ConverseRequest

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model

NO_KEY = "none"
"""A proxy may add the key itself; the SDK wants one."""


def _build(model: str, access: Access, client: "AsyncClient") -> "Model":
    address = access.base_url or about("google").address
    options = HttpOptions(
        base_url=address,
        httpx_async_client=client,
        timeout=int(1000 * (client.timeout.read or 0)),
        client_args={"verify": tls()},  # for clients that are made and not used; a context costs 30 ms each
        async_client_args={"verify": tls(), "ssl": tls()},
    )
    made = Client(vertexai=False, api_key=key_of(access) or NO_KEY, http_options=options)
    return GoogleModel(model, provider=GoogleProvider(client=made))


def _thinking(thinking: Thinking) -> dict[str, Any]:
    config: dict[str, Any] = {"include_thoughts": True}
    if thinking.get("type") == "enabled":
        config["thinking_budget"] = thinking["budget_tokens"]
    return {"google_thinking_config": config}


HOUSE = House(name="google", build=_build, thinking=_thinking)


def open_stream(model: str, request: ConverseRequest, *, access: Access, read_timeout: float) -> ApiStream:
    """Ask a model of Google's API; raise ModelError."""
    return open_call(HOUSE, model, request, access=access, read_timeout=read_timeout)
