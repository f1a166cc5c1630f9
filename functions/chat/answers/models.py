"""Models: their keys, which there are, which an agent uses."""

from psycopg.errors import InsufficientPrivilege

from functions.chat.answers.asked import Asked, Data
from rolecall.agents.update import update_agent as change
from rolecall.agents.wire import agent_settings
from rolecall.errors import InvalidRequest, Unauthorized
from rolecall.llm import registry
from rolecall.llm.access import Access
from rolecall.llm.credentials import Credentials, environment_access, opened
from rolecall.llm.egress import checked_url
from rolecall.llm.known import about
from rolecall.llm.offers import offers
from rolecall.llm.probe import probe
from rolecall.llm.resolve import checked
from rolecall.llm.specs import ALIASES, DEFAULT_PROVIDER, canonical
from rolecall.llm.vault import store
from rolecall.llm.vault.handover import received
from rolecall.llm.vault.store import StoredCredential
from rolecall.protocol.model_requests import (
    DeleteModelCredential,
    ListModelCredentials,
    ListModels,
    SetModelCredential,
    UpdateAgent,
)
from rolecall.turns.models import Runtime

_SHOWN_FROM = 12
"""A key of fewer characters shows none of them."""
_NOT_YOURS = "Only owners and admins change the company's model keys."


def set_model_credential(runtime: Runtime, asked: Asked, request: SetModelCredential) -> Data:
    """Store a key, and ask the provider whether it takes it."""
    caller, settings, provider = asked.caller, runtime.settings, _provider(request.provider)
    sealed = received(request)
    if sealed is None and (about(provider).needs_key and request.base_url is None):
        raise InvalidRequest("apiKey: is missing.")
    if sealed is None and request.base_url is None:
        raise InvalidRequest("baseUrl: is missing; without a key there is nothing else to store.")
    if request.base_url:
        checked_url(request.base_url, allow_private=settings.allow_private_model_urls)
    key = opened(caller, provider, request.base_url, sealed, settings) if sealed else None
    plain = key.get_secret_value() if key else ""
    try:
        with runtime.db.transaction(caller) as conn:
            row = store.write(
                conn,
                caller,
                provider=provider,
                sealed=sealed,
                base_url=request.base_url,
                hint=plain[-4:] if len(plain) >= _SHOWN_FROM else "",
            )
    except InsufficientPrivilege as error:
        raise Unauthorized(_NOT_YOURS, hint="Ask an owner or admin of the company.") from error
    found = probe(provider, Access(api_key=key, base_url=row.base_url), fresh=True) if request.check else None
    return {"credential": _stored(row), "checked": found.status if found else None}


def list_model_credentials(runtime: Runtime, asked: Asked, _: ListModelCredentials) -> Data:
    """Tell which providers have a key."""
    with runtime.db.transaction(asked.caller, read_only=True) as conn:
        rows = {row.provider: row for row in store.ask(conn, asked.caller).get()}
        may_change = store.may_write(conn)
    shown = []
    for provider in sorted({*registry.registered(), *rows} - {DEFAULT_PROVIDER, *ALIASES}):
        access = environment_access(provider, runtime.settings)
        if provider in rows:
            shown.append(_stored(rows[provider]))
        elif access.api_key or access.base_url:
            shown.append(_environment(provider, access))
    return {"credentials": shown, "mayChange": may_change}


def delete_model_credential(runtime: Runtime, asked: Asked, request: DeleteModelCredential) -> Data:
    """Forget a key; one that is gone already is what was wanted."""
    provider = canonical(request.provider)
    with runtime.db.transaction(asked.caller) as conn:
        if not store.may_write(conn):
            raise Unauthorized(_NOT_YOURS, hint="Ask an owner or admin of the company.")
        store.remove(conn, asked.caller, provider)
    return {"provider": provider, "deleted": True}


def list_models(runtime: Runtime, asked: Asked, _: ListModels) -> Data:
    """Tell which models there are; servers are asked after the transaction."""
    with runtime.db.transaction(asked.caller, read_only=True) as conn:
        stored = store.ask(conn, asked.caller).get()
    return offers(Credentials(asked.caller, runtime.settings, stored))


def update_agent(runtime: Runtime, asked: Asked, request: UpdateAgent) -> Data:
    """Change an agent, or tell how it is."""
    given = request.model_fields_set - {"action", "request_id", "agent_id"}
    changes = {name: getattr(request, name) for name in given}
    for field, wire in (("llm_model", "llmModel"), ("small_llm_model", "smallLlmModel")):
        if changes.get(field) is not None:
            changes[field] = str(checked(changes[field], wire)) if changes[field] else None
    with runtime.db.transaction(asked.caller) as conn:
        agent = change(conn, asked.caller, request.agent_id, changes)
    return {"agent": agent_settings(agent)}


def _provider(name: str) -> str:
    provider = canonical(name)
    if provider not in registry.registered() or provider == DEFAULT_PROVIDER:
        known = ", ".join(sorted(registry.registered() - {DEFAULT_PROVIDER, *ALIASES}))
        raise InvalidRequest(f"provider: there is none of this name that takes a key; there are: {known}.")
    return provider


def _stored(row: StoredCredential) -> Data:
    return {
        "provider": row.provider,
        "title": about(row.provider).title,
        "hint": row.hint,
        "baseUrl": row.base_url,
        "source": "stored",
        "updatedAt": row.updated_at.isoformat(),
    }


def _environment(provider: str, access: Access) -> Data:
    return {
        "provider": provider,
        "title": about(provider).title,
        "hint": "",
        "baseUrl": access.base_url,
        "source": "environment",
        "updatedAt": None,
    }
