"""Plain HTTP on the public port: the page's files, its session, and `/health`."""

import json
from http import HTTPStatus
from typing import Final
from urllib.parse import parse_qs, unquote, urlsplit

from websockets.datastructures import Headers
from websockets.http11 import Request, Response

from local.page import Page, PageFile

LOCAL_HOSTS: Final = frozenset({"127.0.0.1", "localhost"})
FOREVER: Final = "public, max-age=31536000, immutable"
SAFE_HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


def answer(request: Request, page: Page | None) -> Response:
    """Answer a GET that is no upgrade."""
    path, _, query = request.path.partition("?")
    if path == "/health":
        return _json(HTTPStatus.OK, {"status": "ok"})
    if page is None:
        return _json(HTTPStatus.NOT_FOUND, {"message": "Not Found"})
    if not _names_this_machine(request.headers):
        return _json(HTTPStatus.FORBIDDEN, {"message": "This page is for this machine only."})
    if path == "/local/session":
        return _session(request.headers, query, page)
    file = page.file(unquote(path))
    if file is None:
        return _json(HTTPStatus.NOT_FOUND, {"message": "Not Found"})
    return _file(file, page, request.headers.get("Host", ""))


def _names_this_machine(headers: Headers) -> bool:
    """Say whether the Host is ours; a foreign name that leads here (DNS rebinding) is not."""
    hosts = headers.get_all("Host")
    return len(hosts) == 1 and urlsplit(f"//{hosts[0]}").hostname in LOCAL_HOSTS


def _is_our_page(headers: Headers) -> bool:
    """Say whether no other page of the browser asks, nor the address bar, where a token is not for showing."""
    origins = headers.get_all("Origin")
    sites = headers.get_all("Sec-Fetch-Site")
    return all(origin == f"http://{headers['Host']}" for origin in origins) and set(sites) <= {"same-origin"}


def _session(headers: Headers, query: str, page: Page) -> Response:
    if not _is_our_page(headers):
        return _json(HTTPStatus.FORBIDDEN, {"message": "Only the page itself may ask for this."})
    who = parse_qs(query).get("as")
    if who is None:
        return _json(HTTPStatus.OK, page.people())
    session = page.session(who[0], headers["Host"])
    if session is None:
        return _json(HTTPStatus.NOT_FOUND, {"message": "There is no such person here."})
    return _json(HTTPStatus.OK, session)


def _file(file: PageFile, page: Page, host: str) -> Response:
    connect = " ".join(filter(None, ("'self'", f"ws://{host}", page.uploads_url())))
    images = " ".join(filter(None, ("'self'", "data:", "blob:", page.uploads_url())))
    policy = (
        f"default-src 'none'; script-src 'self'; style-src 'self'; img-src {images}; font-src 'self'; "
        f"connect-src {connect}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
    )
    cache = FOREVER if file.hashed else "no-store"
    headers = {"Content-Type": file.mime, "Cache-Control": cache, "Content-Security-Policy": policy}
    return _response(HTTPStatus.OK, headers, file.body)


def _json(status: HTTPStatus, content: object) -> Response:
    headers = {"Content-Type": "application/json", "Cache-Control": "no-store"}
    return _response(status, headers, json.dumps(content).encode())


def _response(status: HTTPStatus, headers: dict[str, str], body: bytes) -> Response:
    framing = {"Content-Length": str(len(body)), "Connection": "close"}
    return Response(status.value, status.phrase, Headers({**headers, **SAFE_HEADERS, **framing}), body)


def refusal(status: int, message: str) -> Response:
    """Refuse an upgrade, in API Gateway's words."""
    known = status in HTTPStatus._value2member_map_
    body = json.dumps({"message": message}).encode()
    headers = {"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"}
    return Response(status, HTTPStatus(status).phrase if known else "Refused", Headers(headers), body)
