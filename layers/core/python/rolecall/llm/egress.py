"""Addresses that people give: which of them we connect to. Somebody else's network is not theirs to look into."""

import ipaddress
import socket
from typing import Final
from urllib.parse import urlsplit

from rolecall.errors import InvalidRequest

LONGEST: Final = 500
_NAT64: Final = ipaddress.ip_network("64:ff9b::/96")


def checked_url(url: str, *, allow_private: bool) -> str:
    """Return an address without its closing slash, if a model may be asked there.

    The name is looked up at each use, and TLS holds whoever answers to it: a name that is moved to a private address
    after this check meets a server that has no certificate for it.

    Args:
        url: as a person gave it.
        allow_private: `http` and private networks are meant, as on one's own machine.

    Raises:
        InvalidRequest: it is no address, or one that is not to be reached from here.
    """
    try:
        parts = urlsplit(url.strip())
        port = parts.port
    except ValueError as error:
        raise InvalidRequest("baseUrl: is no address.") from error
    if parts.scheme not in {"https", "http"} or not parts.hostname:
        raise InvalidRequest("baseUrl: is no address; give one like https://models.example.com/v1.")
    if parts.username or parts.password or parts.query or parts.fragment or len(url) > LONGEST:
        raise InvalidRequest("baseUrl: may hold a host, a port and a path, nothing else.")
    if not allow_private:
        if parts.scheme != "https":
            raise InvalidRequest("baseUrl: has to begin with https.")
        _check_public(parts.hostname, port or 443)
    return url.strip().rstrip("/")


def _check_public(host: str, port: int) -> None:
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise InvalidRequest("baseUrl: there is no such host.") from error
    if not all(_is_public(str(entry[4][0])) for entry in found):
        raise InvalidRequest("baseUrl: is in a private network, which is not reached from here.")


def _is_public(text: str) -> bool:
    address = ipaddress.ip_address(text.partition("%")[0])
    if isinstance(address, ipaddress.IPv6Address):
        if address.sixtofour or address.teredo:
            return False
        if address.ipv4_mapped:
            return _is_public(str(address.ipv4_mapped))
        if address in _NAT64:
            return _is_public(str(ipaddress.IPv4Address(int(address) & 0xFFFFFFFF)))
    return address.is_global and not address.is_multicast
