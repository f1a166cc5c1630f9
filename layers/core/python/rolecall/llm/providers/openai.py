"""OpenAI's Chat Completions, and every server that speaks them, at its `base_url`."""

import re
from typing import TYPE_CHECKING, Final

from pydantic_ai.providers.openai import OpenAIProvider

from rolecall.llm.access import Access
from rolecall.llm.apis.call import ApiStream, open_call
from rolecall.llm.apis.compatible import NO_KEY, chat_model
from rolecall.llm.apis.house import House, effort, key_of
from rolecall.llm.types import ConverseRequest

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model

ADDRESS: Final = "https://api.openai.com/v1"
_OWN: Final = re.compile(r"gpt-\d|chatgpt-|o\d")
"""Models of OpenAI's, which want the same fields behind a proxy as without one."""
_REASONING: Final = re.compile(r"gpt-[5-9](?!.*chat)|o\d")


def _build(model: str, access: Access, client: "AsyncClient") -> "Model":
    provider = OpenAIProvider(access.base_url or ADDRESS, key_of(access) or NO_KEY, http_client=client)
    return chat_model(model, provider, own=access.base_url is None or bool(_OWN.match(model)))


def _reasons(model: str) -> bool:
    return bool(_REASONING.match(model))


HOUSE = House(name="openai", build=_build, thinking=effort, fixed_sampling=_reasons)


def open_stream(model: str, request: ConverseRequest, *, access: Access, read_timeout: float) -> ApiStream:
    """Ask a model of OpenAI's API; raise ModelError."""
    return open_call(HOUSE, model, request, access=access, read_timeout=read_timeout)
