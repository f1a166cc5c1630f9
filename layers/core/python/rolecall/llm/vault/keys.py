"""Master keys: read from the settings, or from Secrets Manager and looked at anew every minute."""

import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Final

from rolecall.aws.secrets import read_secret
from rolecall.errors import RolecallError
from rolecall.settings import Settings

TTL_SECONDS: Final = 60.0
RETRY_SECONDS: Final = 5.0
"""A version that is not known is looked for again, but not more often than this."""
LEAST_CHARACTERS: Final = 32
ONLY_VERSION: Final = "v1"
"""Version of a key that is written without one."""


class KeysUnavailable(RolecallError):
    """There are no master keys, or they cannot be read."""


@dataclass(frozen=True, slots=True, repr=False)
class KeyRing:
    """Master keys by version. The first seals, all open; the repr shows none."""

    keys: Mapping[str, bytes]

    @property
    def newest(self) -> str:
        """The version that seals."""
        return next(iter(self.keys))


@lru_cache(maxsize=8)
def parse_ring(text: str) -> KeyRing:
    """Read `v2:material,v1:material`; a single material without a version is v1's.

    Raises:
        KeysUnavailable: a key is too short, or a version is there twice.
    """
    keys: dict[str, bytes] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        version, colon, material = part.partition(":")
        if not colon:
            version, material = ONLY_VERSION, part
        if len(material) < LEAST_CHARACTERS:
            raise _unusable(f"The master key {version[:40]} is shorter than {LEAST_CHARACTERS} characters.")
        if version in keys:
            raise _unusable(f"The master key {version[:40]} is there twice.")
        keys[version] = _derived(material)
    if not keys:
        raise _unusable("There is no master key.")
    return KeyRing(keys)


def key_ring(settings: Settings, *, wanted: str | None = None) -> KeyRing:
    """Return the master keys.

    Args:
        settings: hold them, or say where they are.
        wanted: a version that is needed; where it is not there, the secret is read again at once.

    Raises:
        KeysUnavailable: none are configured, or they cannot be read.
    """
    if given := settings.credential_keys.get_secret_value():
        return parse_ring(given)
    if not settings.credential_keys_secret_arn:
        raise _unusable("No master keys for stored credentials are configured.")
    return _kept(settings.credential_keys_secret_arn).get(wanted)


@dataclass(slots=True)
class _Kept:
    """A secret's keys, for a while."""

    arn: str
    ring: KeyRing | None = None
    read_at: float = 0.0
    lock: threading.Lock = field(default_factory=threading.Lock)

    def get(self, wanted: str | None) -> KeyRing:
        with self.lock:
            age = time.monotonic() - self.read_at
            missing = self.ring is not None and wanted is not None and wanted not in self.ring.keys
            if self.ring is None or age > TTL_SECONDS or (missing and age > RETRY_SECONDS):
                self.ring, self.read_at = self._read(), time.monotonic()
            return self.ring

    def _read(self) -> KeyRing:
        try:
            return parse_ring(read_secret(self.arn))
        except KeysUnavailable:
            raise
        except Exception as error:
            if self.ring is not None:
                return self.ring  # what opened a minute ago opens now
            raise _unusable("The master keys cannot be read at the moment.") from error


@lru_cache(maxsize=4)
def _kept(arn: str) -> _Kept:
    return _Kept(arn)


def forget_keys() -> None:
    """Read the secret anew at the next use."""
    _kept.cache_clear()


def _derived(material: str) -> bytes:
    from cryptography.hazmat.primitives.hashes import SHA256  # lazily: few invocations open a key
    from cryptography.hazmat.primitives.kdf.hkdf import HKDF

    return HKDF(SHA256(), 32, salt=None, info=b"rolecall model credentials").derive(material.encode())


def _unusable(message: str) -> KeysUnavailable:
    return KeysUnavailable(message, hint="An operator sets CREDENTIAL_KEYS or CREDENTIAL_KEYS_SECRET_ARN.")
