"""Where providers speak OpenAI's API: their own address, or the one that is given instead."""

from typing import Final

from rolecall.llm.known import about

_PATHS: Final = {"ollama": "/v1", "google": "/v1beta/openai", "google-gla": "/v1beta/openai"}
"""Below the address of a provider that is known for another API."""


def openai_compatible(provider: str, base_url: str | None) -> str:
    """Return the address of a provider's OpenAI-compatible API, without a slash at its end."""
    address = (base_url or about(provider).address).rstrip("/")
    path = _PATHS.get(provider, "")
    return address if address.endswith(path) else f"{address}{path}"
