"""HTTP clients for one call each; what is dear to make, the TLS context, is made once a process."""

import ssl
from functools import cache
from typing import Final

import httpx2

CONNECT_TIMEOUT: Final = 5.0


@cache
def tls() -> ssl.SSLContext:
    """The process's TLS context."""
    return httpx2.create_ssl_context()


async def _keep_connect_timeout(request: httpx2.Request) -> None:
    """SDKs set one number for all phases of a request; connecting does not take as long as thinking."""
    timeout = request.extensions.get("timeout")
    if isinstance(timeout, dict):
        timeout["connect"] = min(CONNECT_TIMEOUT, timeout.get("connect") or CONNECT_TIMEOUT)


def http_client(read_timeout: float) -> httpx2.AsyncClient:
    """Make a client; its connections belong to the event loop of the call and end with it.

    It follows no redirects: an address that was checked must not lead to one that was not.
    """
    return httpx2.AsyncClient(
        verify=tls(),
        timeout=httpx2.Timeout(read_timeout, connect=CONNECT_TIMEOUT),
        event_hooks={"request": [_keep_connect_timeout]},
        follow_redirects=False,
    )
