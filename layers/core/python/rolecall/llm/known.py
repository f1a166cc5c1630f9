"""Providers and models that people are offered. A model that is not here works as well; specs are not held to this."""

from dataclasses import dataclass, field
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class KnownProvider:
    """What is said of a provider beside the module that speaks to it."""

    title: str
    needs_key: bool = False
    variable: str = ""
    """Environment variable that holds the key, or the address where it needs none."""
    address: str = ""
    """Where it is, unless another address is given."""
    models: dict[str, str] = field(default_factory=dict)
    """Names for people by model id."""


PROVIDERS: Final[dict[str, KnownProvider]] = {
    "bedrock": KnownProvider(
        title="Amazon Bedrock",
        models={
            "eu.anthropic.claude-opus-4-6-v1": "Claude Opus 4.6",
            "eu.anthropic.claude-sonnet-4-6": "Claude Sonnet 4.6",
            "eu.anthropic.claude-haiku-4-5-20251001-v1:0": "Claude Haiku 4.5",
            "eu.amazon.nova-pro-v1:0": "Amazon Nova Pro",
            "eu.amazon.nova-lite-v1:0": "Amazon Nova Lite",
        },
    ),
    "openai": KnownProvider(
        title="OpenAI",
        needs_key=True,
        variable="OPENAI_API_KEY",
        address="https://api.openai.com/v1",
        models={"gpt-5": "GPT-5", "gpt-5-mini": "GPT-5 mini", "gpt-4.1": "GPT-4.1", "gpt-4o": "GPT-4o"},
    ),
    "anthropic": KnownProvider(
        title="Anthropic",
        needs_key=True,
        variable="ANTHROPIC_API_KEY",
        address="https://api.anthropic.com",
        models={
            "claude-opus-4-6": "Claude Opus 4.6",
            "claude-sonnet-4-6": "Claude Sonnet 4.6",
            "claude-haiku-4-5": "Claude Haiku 4.5",
        },
    ),
    "google": KnownProvider(
        title="Google",
        needs_key=True,
        variable="GOOGLE_API_KEY",
        address="https://generativelanguage.googleapis.com",
        models={"gemini-2.5-pro": "Gemini 2.5 Pro", "gemini-2.5-flash": "Gemini 2.5 Flash"},
    ),
    "ollama": KnownProvider(title="Ollama", variable="OLLAMA_BASE_URL", address="http://127.0.0.1:11434/v1"),
    "vllm": KnownProvider(title="vLLM", variable="VLLM_BASE_URL", address="http://127.0.0.1:8000/v1"),
}

_OTHER_NAMES: Final = {"google-gla": "google"}


def about(provider: str) -> KnownProvider:
    """Return what is known of a provider; one that was dropped in may need no key."""
    return PROVIDERS.get(_OTHER_NAMES.get(provider, provider)) or KnownProvider(title=provider)
