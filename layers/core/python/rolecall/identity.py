"""Who calls: the verified token's claims as a `Caller`."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, Literal
from uuid import UUID

from rolecall.errors import Unauthorized
from rolecall.ids import CompanyId, UserId
from rolecall.protocol.limits import TOKEN_LEEWAY_SECONDS

if TYPE_CHECKING:
    from jwt import PyJWKClient

    from rolecall.settings import TokenSettings

LONGEST_TOKEN_SECONDS: Final = 366 * 24 * 60 * 60

Mode = Literal["recruiter", "job_seeker", "visitor"]


@dataclass(frozen=True, slots=True)
class Caller:
    """The person a unit of work acts for, and the company they act for (none: a job seeker)."""

    user_id: UserId
    company_id: CompanyId | None = None
    anonymous: bool = False
    """A visitor without an account. `user_id` is then the session's, and nobody's in the database."""

    @property
    def mode(self) -> Mode:
        """Recruiter with a company, job seeker without; decides tools, handlers and persona alike."""
        if self.anonymous:
            return "visitor"
        return "recruiter" if self.company_id else "job_seeker"

    def as_job_seeker(self) -> "Caller":
        """The same person, acting for themselves."""
        return Caller(self.user_id)

    def plain(self) -> dict[str, str | None]:
        """Render for an event or an authorizer context."""
        return {
            "userId": str(self.user_id),
            "companyId": str(self.company_id) if self.company_id else None,
        } | ({"anonymous": "true"} if self.anonymous else {})

    @classmethod
    def from_plain(cls, data: Mapping[str, Any]) -> "Caller":
        """Read what `plain` (or an authorizer context) wrote."""
        company = data.get("companyId")
        return cls(
            UserId(UUID(str(data["userId"]))),
            CompanyId(UUID(str(company))) if company else None,
            anonymous=data.get("anonymous") == "true",
        )


@dataclass(frozen=True, slots=True)
class VerifiedToken:
    """A caller and the time (seconds since the epoch) at which their token ends."""

    caller: Caller
    expires_at: int


def verify_token(token: str, settings: "TokenSettings") -> VerifiedToken:
    """Check a token's signature and claims.

    Requires `exp` (within a year), `sub`, `aud` and `iss`; `sub` and `company_id` must be UUIDs. Clocks may differ by
    TOKEN_LEEWAY_SECONDS. An unsigned token, or one signed by another algorithm than configured, fails. One that says
    `anonymous: true` is a visitor's: its `sub` names the session and nobody else, and it has no company.

    Raises:
        Unauthorized: for every reason, worded for the person who signs in.
    """
    import jwt

    try:
        key, algorithms = _key_for(token, settings)
        claims: dict[str, Any] = jwt.decode(
            token,
            key,
            algorithms=algorithms,
            audience=settings.audience,
            issuer=settings.issuer,
            leeway=TOKEN_LEEWAY_SECONDS,
            options={"require": ["exp", "sub", "aud", "iss"]},
        )
        company, anonymous = claims.get("company_id"), claims.get("anonymous", False)
        caller = Caller(
            UserId(UUID(claims["sub"])),
            CompanyId(UUID(company)) if company is not None else None,
            anonymous=anonymous is True,
        )
        if not isinstance(anonymous, bool) or (anonymous and company is not None):
            raise Unauthorized("The token is not valid here.", hint="Sign in again.")
        expires_at = int(claims["exp"])
        if expires_at > time.time() + LONGEST_TOKEN_SECONDS:  # milliseconds taken for seconds, or a mistake
            raise Unauthorized("The token is valid for too long.", hint="Sign in again.")
        return VerifiedToken(caller, expires_at)
    except jwt.ExpiredSignatureError as error:
        raise Unauthorized("The session has expired.", hint="Sign in again.") from error
    except (jwt.PyJWTError, ValueError, TypeError, AttributeError, OverflowError) as error:
        raise Unauthorized("The token is not valid here.", hint="Sign in again.") from error


def token_expired(expires_at: float) -> bool:
    """Say whether a token that was valid at connect has ended since."""
    return time.time() > expires_at + TOKEN_LEEWAY_SECONDS


def _key_for(token: str, settings: "TokenSettings") -> tuple[Any, list[str]]:
    if settings.jwks_url:
        return _jwks(settings.jwks_url).get_signing_key_from_jwt(token).key, ["RS256", "ES256"]
    return settings.secret.get_secret_value(), ["HS256"]


@lru_cache(maxsize=4)
def _jwks(url: str) -> "PyJWKClient":
    from jwt import PyJWKClient

    return PyJWKClient(url, cache_keys=True, timeout=5)
