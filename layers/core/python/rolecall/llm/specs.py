"""Names of models as settings and rows hold them: `provider:model`, or a bare Bedrock id."""

from dataclasses import dataclass
from typing import Final

from rolecall.llm import registry

DEFAULT_PROVIDER = "bedrock"
ALIASES: Final = {"google-gla": "google"}
"""Other names of providers, as other products' specs have them."""


@dataclass(frozen=True)
class ModelSpec:
    """A model and who serves it."""

    provider: str
    model: str

    def __str__(self) -> str:
        return f"{self.provider}:{self.model}"


def canonical(provider: str) -> str:
    """Return the name under which a provider is registered."""
    return ALIASES.get(provider, provider)


def parse_spec(text: str) -> ModelSpec:
    """Read a spec; a prefix counts as a provider only if it is registered, since Bedrock ids hold colons.

    Raises:
        RolecallError: the text names no model.
    """
    text = text.strip()
    prefix, colon, rest = text.partition(":")
    spec = ModelSpec(DEFAULT_PROVIDER, text)
    if colon and canonical(prefix) in registry.registered():
        spec = ModelSpec(canonical(prefix), rest.strip())
    if not spec.model:
        raise registry.unusable(f"The model name {text!r} names no model.")
    return spec
