"""Which addresses that people give are connected to."""

import socket

import pytest

from rolecall.errors import InvalidRequest
from rolecall.llm.egress import checked_url


@pytest.fixture
def names(monkeypatch):
    """What names stand for."""
    table = {"models.example.com": ["93.184.215.14"]}

    def look_up(host, port, **_):
        try:
            socket.inet_pton(socket.AF_INET6 if ":" in host else socket.AF_INET, host)
            found = [host]
        except OSError:
            found = table.get(host) or []
        if not found:
            raise socket.gaierror("unknown")
        return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port)) for address in found]

    monkeypatch.setattr("rolecall.llm.egress.socket.getaddrinfo", look_up)
    return table


def test_a_public_https_address_is_taken_without_its_closing_slash(names):
    assert checked_url(" https://models.example.com/v1/ ", allow_private=False) == "https://models.example.com/v1"


@pytest.mark.parametrize(
    "address",
    [
        *("127.0.0.1", "10.0.0.5", "172.16.3.4", "192.168.1.1", "169.254.169.254", "169.254.170.2", "100.64.0.1"),
        *("0.0.0.0", "255.255.255.255", "224.0.0.1", "::1", "::", "fe80::1", "fe80::1%eth0", "fd00:ec2::254"),
        *(
            "::ffff:127.0.0.1",
            "::ffff:169.254.169.254",
            "64:ff9b::a9fe:a9fe",
            "2002:7f00:1::",
            "2001:0:1::1",
            "ff02::1",
        ),
    ],
)
def test_an_address_in_a_private_network_is_refused_also_behind_a_name(names, address):
    names["innocent.example"] = ["93.184.215.14", address]
    with pytest.raises(InvalidRequest, match="private network"):
        checked_url("https://innocent.example", allow_private=False)


@pytest.mark.parametrize(
    "url",
    [
        *("http://models.example.com", "https://nowhere.example", "ftp://models.example.com", "models.example.com"),
        *("https://", "https://me:secret@models.example.com", "https://models.example.com?x=1", "file:///etc/passwd"),
        *(
            "https://models.example.com#x",
            "https://models.example.com:99999",
            "https://[::1",
            "",
            "https://a/" + "b" * 500,
        ),
    ],
)
def test_what_is_no_plain_https_address_is_refused(names, url):
    with pytest.raises(InvalidRequest, match="baseUrl"):
        checked_url(url, allow_private=False)


@pytest.mark.parametrize("url", ["http://127.0.0.1:11434/v1", "http://gpu.local:8000"])
def test_on_ones_own_machine_private_addresses_are_meant(names, url):
    assert checked_url(url, allow_private=True) == url
