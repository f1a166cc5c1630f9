"""How a provider is reached: a region, a key, an address; never part of a request, a log or a stored row."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Optional

if TYPE_CHECKING:
    from pydantic import SecretStr  # whoever has a key has imported it; the rest need not


@dataclass(frozen=True, slots=True)
class Access:
    """What a call needs beside its request; each provider takes of it what it knows."""

    region: str = ""
    """AWS region, for Bedrock."""
    api_key: Optional["SecretStr"] = None
    """Key of an API; its repr is masked."""
    base_url: str | None = None
    """Address of the API, where it is not the provider's own."""
