"""What this machine keeps secret: the token secret and the database passwords, made at first start."""

import json
import os
import secrets
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from rolecall.errors import RolecallError

DATABASE_ROLES: Final = ("postgres", "owner", "app", "seed", "janitor", "ingest", "accounts")


@dataclass(frozen=True, slots=True, repr=False)
class Secrets:
    """The data folder's secrets; its repr shows none of them."""

    token_secret: str
    db_passwords: dict[str, str]


def load_secrets(data_dir: Path) -> Secrets:
    """Read the data folder's secrets, making them (mode 0600) if there are none.

    Two processes that start at once get the same ones.

    Raises:
        RolecallError: the file is there and cannot be read as secrets.
    """
    path = data_dir / "secrets.json"
    if not path.exists():
        _create(path)
    try:
        kept = json.loads(path.read_text())
        passwords = {role: str(kept["db_passwords"][role]) for role in DATABASE_ROLES}
        return Secrets(token_secret=str(kept["token_secret"]), db_passwords=passwords)
    except (ValueError, KeyError, TypeError) as error:
        raise RolecallError(
            f"{path} is damaged.", hint="Restore it from a copy, or start with another data folder."
        ) from error


def load_credential_keys(data_dir: Path) -> str:
    """Read the master key that seals keys of model providers, making it (mode 0600) if there is none."""
    path = data_dir / "credential-keys"
    if not path.exists():
        _write_once(path, f"v1:{secrets.token_urlsafe(48)}")
    return path.read_text().strip()


def _create(path: Path) -> None:
    made = Secrets(secrets.token_urlsafe(48), {role: secrets.token_urlsafe(24) for role in DATABASE_ROLES})
    _write_once(path, json.dumps(asdict(made)))


def _write_once(path: Path, text: str) -> None:
    """Write a secret; of two that do it at once the first stays."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_name(f"{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with os.fdopen(os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        # A link fails where a rename would replace the secrets of whoever was first.
        os.link(draft, path)
    except FileExistsError:
        return
    finally:
        draft.unlink(missing_ok=True)
