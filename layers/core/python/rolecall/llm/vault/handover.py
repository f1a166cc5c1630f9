"""From the socket to the function that stores a key: it is sealed before it is handed on.

An asynchronous invocation is kept in Lambda's own queue, and in a failure queue if it fails; neither has the plain key.
"""

from rolecall.errors import InvalidRequest
from rolecall.identity import Caller
from rolecall.llm.specs import canonical
from rolecall.llm.vault.keys import key_ring
from rolecall.llm.vault.seal import Sealed, bound_to, seal
from rolecall.protocol.model_requests import LONGEST_KEY, SetModelCredential
from rolecall.settings import Settings


def sealed_key(request: SetModelCredential, caller: Caller, settings: Settings) -> str | None:
    """Return the request's key, sealed for the caller, the provider and the address; None where it has none.

    Raises:
        InvalidRequest: it cannot be a key.
        KeysUnavailable: there is nothing to seal it with.
    """
    key = request.api_key.get_secret_value().strip() if request.api_key else ""
    if not key:
        return None
    if len(key) > LONGEST_KEY or not key.isascii() or not key.isprintable() or " " in key:
        raise InvalidRequest("apiKey: has characters that no key has, or too many.", hint="Copy the key again.")
    return seal(key_ring(settings), key, _purpose(request, caller)).text()


def received(request: SetModelCredential) -> Sealed | None:
    """Read what `sealed_key` made.

    Raises:
        CannotOpen: it is something else.
    """
    return Sealed.of_text(request.api_key.get_secret_value()) if request.api_key else None


def _purpose(request: SetModelCredential, caller: Caller) -> bytes:
    return bound_to(caller, canonical(request.provider), request.base_url)
