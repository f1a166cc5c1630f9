"""What differs between the houses that models come from; everything else is the same for all."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from rolecall.llm.access import Access

if TYPE_CHECKING:
    from httpx2 import AsyncClient
    from pydantic_ai.models import Model

Thinking = Mapping[str, Any]
"""How a request asks for reasoning, as Anthropic writes it: `{"type": "enabled", "budget_tokens": n}` or adaptive."""


def no_settings(_thinking: Thinking) -> dict[str, Any]:
    """Ask for no reasoning."""
    return {}


def effort(thinking: Thinking) -> dict[str, Any]:
    """Ask for reasoning as pydantic-ai names its depth, for a house that knows no budget of tokens."""
    if thinking.get("type") != "enabled":
        return {"thinking": True}
    budget = int(thinking.get("budget_tokens", 0))
    return {"thinking": "low" if budget <= 2048 else "medium" if budget <= 8192 else "high"}


def _never(_model: str) -> bool:
    return False


@dataclass(frozen=True, slots=True, kw_only=True)
class House:
    """A house: how its model is built, and what of a request it takes."""

    name: str
    """As specs write it."""
    build: "Callable[[str, Access, AsyncClient], Model]"
    """Make the model of an id; the client is closed by whoever made it."""
    thinking: Callable[[Thinking], dict[str, Any]] = no_settings
    """Settings that ask for reasoning."""
    pdfs: bool = True
    """Whether it reads PDF files; other documents go as text, if they are text."""
    signed_by: str | None = None
    """The name that reasoning is signed under, where it may be sent back; None: it never is."""
    fixed_sampling: Callable[[str], bool] = _never
    """Whether a model takes no temperature."""
    caches: bool = False
    """Whether cache points mean anything to it."""


def key_of(access: Access) -> str | None:
    """The key in clear, for a client that is about to be built."""
    return access.api_key.get_secret_value() if access.api_key else None
