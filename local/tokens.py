"""Tokens for the people of this machine, signed with its own secret."""

import time
from typing import Any
from uuid import uuid4

import jwt

from rolecall.identity import Caller
from rolecall.ids import UserId

HOUR = 3600


def token_for(caller: Caller, secret: str, *, seconds: int = 8 * HOUR) -> str:
    """Sign a caller's token, as an identity provider would."""
    now = int(time.time())
    claims: dict[str, Any] = {
        "sub": str(caller.user_id),
        "aud": "rolecall",
        "iss": "rolecall",
        "iat": now,
        "exp": now + seconds,
    }
    if caller.anonymous:
        claims["anonymous"] = True
    if caller.company_id:
        claims["company_id"] = str(caller.company_id)
    return jwt.encode(claims, secret, algorithm="HS256")


def a_visitor() -> Caller:
    """Somebody without an account, in a session of their own."""
    return Caller(UserId(uuid4()), anonymous=True)
