"""Plain HTTP on the public port. The page's files belong here too."""

import json
from http import HTTPStatus

from websockets.datastructures import Headers
from websockets.http11 import Response


def answer(path: str) -> Response:
    """Answer a GET that is no upgrade."""
    match path.partition("?")[0]:
        case "/health":
            return _json(HTTPStatus.OK, {"status": "ok"})
        case _:
            return _json(HTTPStatus.NOT_FOUND, {"message": "Not Found"})


def _json(status: HTTPStatus, content: object) -> Response:
    body = json.dumps(content).encode()
    headers = Headers({"Content-Type": "application/json", "Content-Length": str(len(body)), "Connection": "close"})
    return Response(status.value, status.phrase, headers, body)
