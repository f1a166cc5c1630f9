"""Where the access to a provider comes from: what the tenant stored, else the environment."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from psycopg import Connection
from pydantic import SecretStr

from rolecall.errors import ErrorCode, InvalidRequest, RolecallError
from rolecall.identity import Caller
from rolecall.llm.access import Access
from rolecall.llm.egress import checked_url
from rolecall.llm.known import about
from rolecall.llm.specs import DEFAULT_PROVIDER, parse_spec
from rolecall.llm.vault import store
from rolecall.llm.vault.keys import KeyRing, KeysUnavailable, key_ring
from rolecall.llm.vault.seal import CannotOpen, Sealed, bound_to, seal, unseal
from rolecall.llm.vault.store import StoredCredential
from rolecall.settings import Settings
from rolecall.telemetry import log


def environment_access(provider: str, settings: Settings) -> Access:
    """Return the access that the environment gives to a provider."""
    region = settings.bedrock_region
    match provider:
        case "openai":
            return Access(region, _given(settings.openai_api_key), settings.openai_base_url)
        case "anthropic":
            return Access(region, _given(settings.anthropic_api_key), settings.anthropic_base_url)
        case "google" | "google-gla":
            return Access(region, _given(settings.google_api_key), settings.google_base_url)
        case "ollama":
            return Access(region, None, settings.ollama_base_url)
        case "vllm":
            return Access(region, None, settings.vllm_base_url)
    return Access(region)


def _given(key: SecretStr) -> SecretStr | None:
    return key if key.get_secret_value() else None


def embedding_access(settings: Settings) -> Access:
    """Return the access to the embedder that the settings name."""
    return environment_access(parse_spec(settings.embedding_model).provider, settings)


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a tenant has stored, sealed, and the environment behind it."""

    caller: Caller
    settings: Settings
    stored: Sequence[StoredCredential] = ()
    _stale: list[tuple[StoredCredential, SecretStr]] = field(default_factory=list, repr=False)

    def access_for(self, provider: str) -> Access:
        """Return how a provider is reached: by the tenant's key, else by the environment's.

        A key that does not open is as good as none: the environment's is taken, and the log has a warning.

        Raises:
            RolecallError: there is no key, or the address that is stored is not to be reached from here.
        """
        row = next((row for row in self.stored if row.provider == provider), None)
        fallback = environment_access(provider, self.settings)
        if row is None or provider == DEFAULT_PROVIDER:
            return _usable(provider, fallback)
        try:
            key = self._opened(row)
        except (CannotOpen, KeysUnavailable) as error:
            log.warning("stored key not usable", extra={"provider": provider, "reason": error.message})
            return _usable(provider, fallback, broken=True)
        return _usable(provider, Access(fallback.region, key, self._address(row)))

    def _opened(self, row: StoredCredential) -> SecretStr | None:
        sealed = row.sealed
        if sealed is None:
            return None
        ring = key_ring(self.settings, wanted=sealed.key_version)
        key = unseal(ring, sealed, bound_to(self.caller, row.provider, row.base_url))
        if sealed.key_version != ring.newest:
            self._stale.append((row, key))
        return key

    def _address(self, row: StoredCredential) -> str | None:
        if row.base_url is None:
            return None
        try:
            return checked_url(row.base_url, allow_private=self.settings.allow_private_model_urls)
        except InvalidRequest as error:
            reason = error.message.removeprefix("baseUrl: ")
            raise RolecallError(
                f"The address that is stored for {about(row.provider).title} {reason}",
                code=ErrorCode.CHAT_ERROR,
                hint="Store the key again with another address.",
            ) from error

    def reseal(self, conn: Connection[Any]) -> None:
        """Seal anew, under the newest master key, what was opened with an older one; waits for nobody."""
        while self._stale:
            row, key = self._stale.pop()
            ring = key_ring(self.settings)
            purpose = bound_to(self.caller, row.provider, row.base_url)
            store.reseal(conn, row, seal(ring, key.get_secret_value(), purpose))


def sealed_for(caller: Caller, provider: str, base_url: str | None, key: str, settings: Settings) -> Sealed:
    """Seal a key for its owner, provider and address; raise KeysUnavailable."""
    ring: KeyRing = key_ring(settings)
    return seal(ring, key, bound_to(caller, provider, base_url))


def opened(caller: Caller, provider: str, base_url: str | None, sealed: Sealed, settings: Settings) -> SecretStr:
    """Open what `sealed_for` sealed; raise CannotOpen or KeysUnavailable."""
    ring = key_ring(settings, wanted=sealed.key_version)
    return unseal(ring, sealed, bound_to(caller, provider, base_url))


def _usable(provider: str, access: Access, *, broken: bool = False) -> Access:
    known = about(provider)
    if access.api_key or access.base_url or not known.needs_key:
        return access  # a server of one's own may ask for no key
    what = "The stored key of" if broken else "There is no key for"
    raise RolecallError(
        f"{what} {known.title}{' cannot be opened' if broken else ''}.",
        code=ErrorCode.CHAT_ERROR,
        hint=f"Store one among the model settings (setModelCredential), or set {known.variable}.",
    )
