"""Tokens for the people of this machine, signed with its own secret."""

import time

import jwt

from rolecall.identity import Caller

HOUR = 3600


def token_for(caller: Caller, secret: str, *, seconds: int = 8 * HOUR) -> str:
    """Sign a caller's token, as an identity provider would."""
    now = int(time.time())
    claims = {
        "sub": str(caller.user_id),
        "aud": "rolecall",
        "iss": "rolecall",
        "iat": now,
        "exp": now + seconds,
    }
    if caller.company_id:
        claims["company_id"] = str(caller.company_id)
    return jwt.encode(claims, secret, algorithm="HS256")
