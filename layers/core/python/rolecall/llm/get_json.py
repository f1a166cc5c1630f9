"""One GET within a time that a server cannot stretch: it follows no redirect and reads no more than a list may have."""

import json
import socket
import threading
from contextlib import suppress
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any, Final
from urllib.error import HTTPError
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, OpenerDirector, Request, build_opener

_MOST_BYTES: Final = 2_000_000


def get_json(url: str, headers: dict[str, str], seconds: float) -> tuple[int, Any]:
    """Return the status (0: nobody answered in time, or it was no JSON) and the JSON of a 200.

    A time limit on a socket is for each read, so a server that sends a byte now and then would be waited for without
    end; here the socket is shut when the time is over.
    """
    sockets: list[socket.socket] = []
    alarm = threading.Timer(seconds, _shut, [sockets])
    alarm.start()
    try:
        with _opener(sockets).open(Request(url, headers=headers), timeout=seconds) as answer:  # noqa: S310
            read = answer.read(_MOST_BYTES)
            return (answer.status, json.loads(read)) if answer.status == 200 else (answer.status, None)
    except HTTPError as error:
        error.close()
        return error.code, None
    except (OSError, HTTPException, ValueError, RecursionError):
        return 0, None
    finally:
        alarm.cancel()
        alarm.join()


def _shut(sockets: list[socket.socket]) -> None:
    for open_one in sockets:
        with suppress(OSError):
            open_one.shutdown(socket.SHUT_RDWR)


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: Any, **__: Any) -> None:
        return None


def _opener(sockets: list[socket.socket]) -> OpenerDirector:
    class Plain(HTTPConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class Secure(HTTPSConnection):
        def connect(self) -> None:
            super().connect()
            sockets.append(self.sock)

    class OpenPlain(HTTPHandler):
        def http_open(self, request: Request) -> Any:
            return self.do_open(Plain, request)

    class OpenSecure(HTTPSHandler):
        def https_open(self, request: Request) -> Any:
            return self.do_open(Secure, request)

    return build_opener(_Stay, OpenPlain, OpenSecure)
