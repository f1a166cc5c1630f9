"""Asks a provider's server which models it has: is it there, does it take the key. Never longer than the time given."""

import time
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Literal

from rolecall.llm.access import Access
from rolecall.llm.known import about

PROBE_SECONDS: Final = 2.0
KEPT_SECONDS: Final = 15.0
_REFUSED: Final = frozenset({400, 401, 403})
"""Google answers 400 to a wrong key."""

Status = Literal["ok", "refused", "unreachable"]


@dataclass(frozen=True, slots=True)
class Probe:
    """What a server said. `models` are ids, as specs take them; `address` is where it was looked for."""

    status: Status
    address: str
    models: tuple[str, ...] = ()


_kept: dict[tuple[str, ...], tuple[float, Probe]] = {}


def probe(provider: str, access: Access, *, timeout: float = PROBE_SECONDS, fresh: bool = False) -> Probe:
    """Ask a provider's server for its models.

    Args:
        provider: as specs name it.
        access: its key, and its address if it is not the usual one.
        timeout: seconds for all of it.
        fresh: ask, even if it was asked a moment ago.
    """
    key = access.api_key.get_secret_value() if access.api_key else ""
    address = (access.base_url or about(provider).address).rstrip("/")
    known_as = (provider, address, sha256(key.encode()).hexdigest())
    before = _kept.get(known_as)
    if before is not None and not fresh and time.monotonic() - before[0] < KEPT_SECONDS:
        return before[1]
    found = _probe(provider, address, key, timeout)
    _kept[known_as] = (time.monotonic(), found)
    if len(_kept) > 100:
        _kept.pop(next(iter(_kept)))
    return found


def forget() -> None:
    """Ask anew next time."""
    _kept.clear()


def _probe(provider: str, address: str, key: str, timeout: float) -> Probe:
    from rolecall.llm.get_json import get_json  # lazily: hardly any invocation asks

    ends = time.monotonic() + timeout
    status: Status = "unreachable"
    for url, headers in _places(provider, address, key):
        left = ends - time.monotonic()
        code, body = get_json(url, headers, left) if left > 0 else (0, None)
        if code == 200 and body is not None:
            return Probe("ok", address, tuple(_ids(body)))
        if code == 429:  # whoever counts our calls knows the key
            return Probe("ok", address)
        if code in _REFUSED:
            status = "refused"
    return Probe(status, address)


def _places(provider: str, address: str, key: str) -> list[tuple[str, dict[str, str]]]:
    bearer = {"Authorization": f"Bearer {key}"} if key else {}
    if provider == "anthropic":
        return [(f"{address}/v1/models", {"x-api-key": key, "anthropic-version": "2023-06-01"})]
    if provider == "google":
        return [(f"{address.removesuffix('/v1beta')}/v1beta/models", {"x-goog-api-key": key})]
    if provider == "ollama":
        root = address.removesuffix("/v1")
        return [(f"{root}/api/tags", bearer), (f"{root}/v1/models", bearer)]
    return [(f"{address}/models", bearer)]


def _ids(body: Any) -> list[str]:
    """Read `{"data": [{"id"}]}` (OpenAI, vLLM, Anthropic) or `{"models": [{"name"}]}` (Ollama, Google)."""
    listed = (body.get("data") or body.get("models") or []) if isinstance(body, dict) else []
    entries = [entry for entry in listed if isinstance(entry, dict)] if isinstance(listed, list) else []
    names = [entry.get("id") or entry.get("name") for entry in entries]
    return [name.removeprefix("models/") for name in names if isinstance(name, str) and 0 < len(name) <= 300]
