"""Which models people are offered, and which of them can be used now."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from rolecall.errors import RolecallError
from rolecall.llm import registry
from rolecall.llm.access import Access
from rolecall.llm.capabilities import capabilities
from rolecall.llm.credentials import Credentials
from rolecall.llm.known import KnownProvider, about
from rolecall.llm.probe import probe
from rolecall.llm.specs import ALIASES, DEFAULT_PROVIDER, ModelSpec, parse_spec
from rolecall.settings import Settings

_GEOGRAPHIES = {"us": "us", "ap": "apac"}
_OFFLINE = "rolecall."
"""Models of the local endpoint, which speaks for no others."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A provider's models by id, and why they cannot be used, if so."""

    provider: str
    models: dict[str, str]
    reason: str | None = None


def offers(credentials: Credentials) -> dict[str, Any]:
    """Render the reply of `listModels`. Servers of one's own are asked, all at once and not for long."""
    settings = credentials.settings
    names = sorted(registry.registered() - ALIASES.keys())
    with ThreadPoolExecutor(4) as parallel:
        found = list(parallel.map(lambda name: _found(name, credentials), names))
    return {
        "models": [_model(entry, model, name) for entry in found for model, name in entry.models.items()],
        "providers": [_provider(entry) for entry in found],
        "main": str(parse_spec(settings.model)),
        "small": str(parse_spec(settings.small_model)),
    }


def _found(provider: str, credentials: Credentials) -> _Found:
    known, chosen = about(provider), _chosen(provider, credentials.settings)
    if provider == DEFAULT_PROVIDER:
        return _bedrock(known, chosen, credentials.settings)
    try:
        access = credentials.access_for(provider)
    except RolecallError as error:
        return _Found(provider, known.models | chosen, f"{error.message} {error.recovery_hint}")
    if known.needs_key and access.base_url is None:
        return _Found(provider, known.models | chosen)
    return _served(provider, access, known.models | chosen)


def _served(provider: str, access: Access, otherwise: dict[str, str]) -> _Found:
    """Ask a server that has models of its own."""
    said = probe(provider, access)
    if said.status == "ok" and said.models:
        return _Found(provider, {name: name for name in said.models})
    if said.status == "ok":
        return _Found(provider, otherwise)
    return _Found(provider, otherwise, no_answer(provider, said.address, refused=said.status == "refused"))


def no_answer(provider: str, address: str, *, refused: bool = False) -> str:
    """Say of a server that it does not answer, and what to do."""
    if refused:
        return f"The server at {address} does not take the key. Store another one."
    todo = "Start it: `ollama serve`." if provider == "ollama" else "Start it, or correct its address."
    return f"No server answers at {address}. {todo}"


def bedrock_ids(region: str) -> dict[str, str]:
    """Return Bedrock's models as a region has them: their inference profiles begin with its geography."""
    geography = _GEOGRAPHIES.get(region[:2], "eu")
    known = about(DEFAULT_PROVIDER).models
    return {f"{geography}.{model.partition('.')[2]}": name for model, name in known.items()}


def _bedrock(known: KnownProvider, chosen: dict[str, str], settings: Settings) -> _Found:
    if not chosen:
        return _Found(DEFAULT_PROVIDER, bedrock_ids(settings.bedrock_region), f"{known.title} is not set up here.")
    if any(model.startswith(_OFFLINE) for model in chosen):
        return _Found(DEFAULT_PROVIDER, chosen)
    return _Found(DEFAULT_PROVIDER, chosen | bedrock_ids(settings.bedrock_region))


def _chosen(provider: str, settings: Settings) -> dict[str, str]:
    specs = (parse_spec(settings.model), parse_spec(settings.small_model))
    return {spec.model: spec.model for spec in specs if spec.provider == provider}


def _model(found: _Found, model: str, name: str) -> dict[str, Any]:
    known = capabilities(model)
    return {
        "spec": str(ModelSpec(found.provider, model)),
        "name": name,
        "provider": found.provider,
        "usable": found.reason is None,
        "reason": found.reason,
        "capabilities": {
            "thinking": known.thinking != "none",
            "tools": known.tools,
            "images": known.images,
            "documents": known.documents,
        },
    }


def _provider(found: _Found) -> dict[str, Any]:
    known = about(found.provider)
    return {
        "provider": found.provider,
        "title": known.title,
        "needsKey": known.needs_key,
        "usable": found.reason is None,
        "reason": found.reason,
    }
