"""Who may connect: the token from the subprotocol or the query, as an API Gateway authorizer's policy."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from pydantic import SecretStr

from rolecall.aws.secrets import read_secret
from rolecall.errors import Unauthorized
from rolecall.identity import VerifiedToken, verify_token
from rolecall.protocol.limits import SUBPROTOCOL
from rolecall.settings import TokenSettings, settings
from rolecall.telemetry import log


@cache
def _tokens() -> TokenSettings:
    """How tokens are checked; a secret that is kept elsewhere is read once a process."""
    found, arn = settings().tokens, settings().token_secret_arn
    if found.jwks_url or not arn:
        return found
    return found.model_copy(update={"secret": SecretStr(read_secret(arn))})


def handler(event: dict[str, Any], context: object) -> dict[str, Any]:  # noqa: ARG001 - Lambda's signature
    """Answer a REQUEST authorizer event; API Gateway makes 401 of the exception."""
    try:
        verified = verify_token(_token(event), _tokens())
    except Unauthorized as error:
        log.info("connection refused", extra={"reason": error.message})
        raise Exception("Unauthorized") from error  # noqa: TRY002 - the very text that API Gateway knows
    return _policy(event["methodArn"], verified)


def _token(event: Mapping[str, Any]) -> str:
    headers = {name.lower(): value for name, value in (event.get("headers") or {}).items()}
    offered = [part.strip() for part in headers.get("sec-websocket-protocol", "").split(",")]
    if SUBPROTOCOL in offered:
        offered.remove(SUBPROTOCOL)
        if offered:
            return str(offered[0])
    return str((event.get("queryStringParameters") or {}).get("token", ""))


def _policy(arn: str, verified: VerifiedToken) -> dict[str, Any]:
    caller = verified.caller
    return {
        "principalId": str(caller.user_id),
        "policyDocument": {
            "Version": "2012-10-17",
            "Statement": [{"Action": "execute-api:Invoke", "Effect": "Allow", "Resource": arn}],
        },
        "context": {
            "userId": str(caller.user_id),
            "companyId": str(caller.company_id or ""),
            "expiresAt": str(verified.expires_at),
        }
        | ({"anonymous": "true"} if caller.anonymous else {}),
    }
