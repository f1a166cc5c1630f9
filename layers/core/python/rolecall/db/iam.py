"""IAM tokens in place of database passwords: signed on the spot, without a call, and never kept."""

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import urlencode

RDS: Final = ".rds.amazonaws.com"
TOKEN_SECONDS: Final = 900


def uses_tokens(given: Mapping[str, Any]) -> bool:
    """Say whether the parts of a connection string mean RDS without a password."""
    return str(given.get("host", "")).endswith(RDS) and not given.get("password")


def token(given: Mapping[str, Any]) -> str:
    """Sign a token for a connection string's user, as `rds.generate_db_auth_token` does without RDS' large model."""
    from botocore.model import ServiceId
    from botocore.session import get_session
    from botocore.signers import RequestSigner

    host, port, user = str(given["host"]), str(given.get("port") or 5432), str(given["user"])
    region = host.removesuffix(RDS).rpartition(".")[2]
    session: Any = get_session()
    signer: Any = RequestSigner(
        ServiceId("rds-db"),
        region,
        "rds-db",
        "v4",
        session.get_credentials(),
        session.get_component("event_emitter"),
    )
    query = urlencode({"Action": "connect", "DBUser": user})
    request = {"method": "GET", "url": f"https://{host}:{port}/?{query}", "body": {}, "headers": {}, "context": {}}
    signed: str = signer.generate_presigned_url(
        request, operation_name="connect", expires_in=TOKEN_SECONDS, region_name=region
    )
    return signed.removeprefix("https://")
