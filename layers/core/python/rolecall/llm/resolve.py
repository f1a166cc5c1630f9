"""Which model answers: the call's own, else the task's, the agent's, the corpus', the settings'."""

import re
from typing import Final

from rolecall.errors import InvalidRequest
from rolecall.llm import registry
from rolecall.llm.specs import DEFAULT_PROVIDER, ModelSpec, parse_spec

_BEDROCK_ID: Final = re.compile(r"arn:aws[a-z-]*:bedrock:\S+|[a-z0-9-]+\.[A-Za-z0-9.:_/-]+")
"""An ARN, or a vendor and a model; both before any colon, so that a mistyped provider is no such id."""


def resolve(
    call: str | None, task: str | None, agent: str | None, corpus: str | None, settings_default: str
) -> ModelSpec:
    """Return the first model that is named; a blank name names none. The same chain serves the small slot.

    Raises:
        RolecallError: the one that is named is no model.
    """
    named = next((text for text in (call, task, agent, corpus) if text and text.strip()), settings_default)
    return parse_spec(named)


def checked(text: str, field: str) -> ModelSpec:
    """Read a model that a person names now, more strictly than one that is stored.

    Raises:
        InvalidRequest: there is no such provider, or it is no model's name.
    """
    text = text.strip()
    prefix, colon, _ = text.partition(":")
    spec = parse_spec(text) if text else None
    if spec is None or any(character.isspace() or not character.isprintable() for character in text):
        raise InvalidRequest(f"{field}: is no model's name; write it as provider:model.")
    if spec.provider == DEFAULT_PROVIDER and not _BEDROCK_ID.fullmatch(spec.model):
        known = ", ".join(sorted(registry.registered()))
        raise InvalidRequest(
            f"{field}: there is no model provider {prefix[:40]!r}; there are: {known}."
            if colon and prefix != DEFAULT_PROVIDER
            else f"{field}: {spec.model[:80]!r} is no model of Bedrock's; write it as provider:model."
        )
    return spec
