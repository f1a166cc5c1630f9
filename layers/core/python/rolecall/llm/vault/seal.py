"""Sealing a key: AES-256-GCM, bound to whose it is, for which provider and which address."""

import base64
import json
import os
from dataclasses import dataclass

from pydantic import SecretStr

from rolecall.errors import RolecallError
from rolecall.identity import Caller
from rolecall.llm.vault.keys import KeyRing

NONCE_BYTES = 12


class CannotOpen(RolecallError):
    """A sealed key does not open: its master key is gone, or it was sealed for something else."""

    def __init__(self, why: str) -> None:
        super().__init__(f"The stored key cannot be opened: {why}.", hint="Store the key again.")


@dataclass(frozen=True, slots=True)
class Sealed:
    """A key as it is stored and handed on."""

    key_version: str
    nonce: bytes
    ciphertext: bytes

    def text(self) -> str:
        """Render for a payload."""
        parts = (self.key_version.encode(), self.nonce, self.ciphertext)
        return ".".join(base64.urlsafe_b64encode(part).decode() for part in parts)

    @classmethod
    def of_text(cls, text: str) -> "Sealed":
        """Read what `text` wrote.

        Raises:
            CannotOpen: it is something else.
        """
        try:
            version, nonce, ciphertext = (base64.urlsafe_b64decode(part) for part in text.split("."))
            return cls(version.decode(), nonce, ciphertext)
        except ValueError as error:
            raise CannotOpen("it is no sealed key") from error


def bound_to(caller: Caller, provider: str, base_url: str | None) -> bytes:
    """Say what a key is for. Moved to another owner, provider or address it does not open."""
    owner = ["company", str(caller.company_id)] if caller.company_id else ["user", str(caller.user_id)]
    return json.dumps(["model-credential", *owner, provider, base_url or ""]).encode()


def seal(ring: KeyRing, secret: str, purpose: bytes) -> Sealed:
    """Seal a key with the newest master key."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    nonce = os.urandom(NONCE_BYTES)
    return Sealed(ring.newest, nonce, AESGCM(ring.keys[ring.newest]).encrypt(nonce, secret.encode(), purpose))


def unseal(ring: KeyRing, sealed: Sealed, purpose: bytes) -> SecretStr:
    """Open a key.

    Raises:
        CannotOpen: the master key is not on the ring, or the key was changed or sealed for something else.
    """
    from cryptography.exceptions import InvalidTag
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    key = ring.keys.get(sealed.key_version)
    if key is None:
        raise CannotOpen(f"the master key {sealed.key_version} is gone")
    try:
        return SecretStr(AESGCM(key).decrypt(sealed.nonce, sealed.ciphertext, purpose).decode())
    except (InvalidTag, ValueError) as error:
        raise CannotOpen("it was changed, or sealed for something else") from error
