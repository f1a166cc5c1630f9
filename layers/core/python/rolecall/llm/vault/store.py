"""SQL of stored credentials."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final, LiteralString
from uuid import UUID

from psycopg import Connection
from psycopg.rows import class_row

from rolecall.db.later import Later, ask_all
from rolecall.identity import Caller
from rolecall.llm.vault.seal import Sealed

_COLUMNS: Final[LiteralString] = "id, provider, ciphertext, nonce, key_version, base_url, hint, updated_at, updated_by"
_IN_SCOPE: Final[LiteralString] = """
    company_id IS NOT DISTINCT FROM %(company_id)s::uuid AND user_id IS NOT DISTINCT FROM %(user_id)s::uuid
"""
SELECT: Final[LiteralString] = f"SELECT {_COLUMNS} FROM model_credential WHERE {_IN_SCOPE} ORDER BY provider"
UPSERT: Final[LiteralString] = f"""
    INSERT INTO model_credential
        (company_id, user_id, provider, ciphertext, nonce, key_version, base_url, hint, updated_by)
    VALUES (%(company_id)s, %(user_id)s, %(provider)s, %(ciphertext)s, %(nonce)s, %(key_version)s, %(base_url)s,
        %(hint)s, %(updated_by)s)
    ON CONFLICT ON CONSTRAINT model_credential_key DO UPDATE
    SET ciphertext = excluded.ciphertext, nonce = excluded.nonce, key_version = excluded.key_version,
        base_url = excluded.base_url, hint = excluded.hint, updated_by = excluded.updated_by,
        updated_at = clock_timestamp()
    RETURNING {_COLUMNS}
"""
DELETE: Final[LiteralString] = f"""
    DELETE FROM model_credential WHERE {_IN_SCOPE} AND provider = %(provider)s RETURNING id
"""
RESEAL: Final[LiteralString] = """
    UPDATE model_credential SET ciphertext = %(ciphertext)s, nonce = %(nonce)s, key_version = %(key_version)s
    WHERE id = (
        SELECT id FROM model_credential WHERE id = %(id)s AND ciphertext = %(before)s FOR UPDATE SKIP LOCKED
    )
"""
LEADS: Final[LiteralString] = "SELECT (SELECT app.leads_company()) OR (SELECT app.company_id()) IS NULL"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredCredential:
    """A row: a company's, or a person's own. Without ciphertext: an address that asks for no key."""

    id: UUID
    provider: str
    ciphertext: bytes | None
    nonce: bytes | None
    key_version: str | None
    base_url: str | None
    hint: str
    updated_at: datetime
    updated_by: UUID | None

    @property
    def sealed(self) -> Sealed | None:
        """The key, sealed."""
        if self.ciphertext is None or self.nonce is None or self.key_version is None:
            return None
        return Sealed(self.key_version, self.nonce, self.ciphertext)


def ask(conn: Connection[Any], caller: Caller) -> Later[list[StoredCredential]]:
    """Ask for what the company that the caller acts for has stored, or the caller themselves."""
    return ask_all(conn, class_row(StoredCredential), SELECT, _owner(caller))


def write(
    conn: Connection[Any], caller: Caller, *, provider: str, sealed: Sealed | None, base_url: str | None, hint: str
) -> StoredCredential:
    """Store a credential in the place of what was there; of two at once the later one stays.

    Raises:
        psycopg.errors.InsufficientPrivilege: the caller does not lead the company.
    """
    values = _owner(caller) | {
        "provider": provider,
        "ciphertext": sealed.ciphertext if sealed else None,
        "nonce": sealed.nonce if sealed else None,
        "key_version": sealed.key_version if sealed else None,
        "base_url": base_url,
        "hint": hint,
        "updated_by": caller.user_id,
    }
    with conn.cursor(row_factory=class_row(StoredCredential)) as cursor:
        row = cursor.execute(UPSERT, values).fetchone()
    if row is None:
        raise LookupError("an upsert returns its row")
    return row


def remove(conn: Connection[Any], caller: Caller, provider: str) -> bool:
    """Delete a credential; False: there was none, or it is not the caller's to delete."""
    return conn.execute(DELETE, _owner(caller) | {"provider": provider}).fetchone() is not None


def reseal(conn: Connection[Any], row: StoredCredential, sealed: Sealed) -> None:
    """Put a key sealed anew in the place of what was read, unless it was changed since or is locked at this moment.

    Without effect for a caller who does not lead the company: the policy leaves them no row.
    """
    values = {"ciphertext": sealed.ciphertext, "nonce": sealed.nonce, "key_version": sealed.key_version}
    conn.execute(RESEAL, values | {"id": row.id, "before": row.ciphertext})


def may_write(conn: Connection[Any]) -> bool:
    """Say whether the caller decides: for the company that they act for, or for themselves."""
    row = conn.execute(LEADS).fetchone()
    return bool(row and row[0])


def _owner(caller: Caller) -> dict[str, Any]:
    return {"company_id": caller.company_id, "user_id": None if caller.company_id else caller.user_id}
