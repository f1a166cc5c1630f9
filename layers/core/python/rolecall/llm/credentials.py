"""Where the access to a provider comes from."""

from rolecall.llm.access import Access
from rolecall.llm.specs import parse_spec
from rolecall.settings import Settings


def environment_access(provider: str, settings: Settings) -> Access:  # noqa: ARG001
    """Return the access that the environment gives to a provider."""
    return Access(region=settings.bedrock_region)


def embedding_access(settings: Settings) -> Access:
    """Return the access to the embedder that the settings name."""
    return environment_access(parse_spec(settings.embedding_model).provider, settings)
