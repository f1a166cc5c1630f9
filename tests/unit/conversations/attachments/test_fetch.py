"""Reading files: whatever the store does, an answer comes, and nobody else's file is asked for."""

import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote
from uuid import uuid4

import pytest

from rolecall.aws import clients
from rolecall.conversations.attachments import fetch
from rolecall.conversations.attachments.fetch import Trouble
from rolecall.conversations.attachments.keys import new_key
from rolecall.identity import Caller
from rolecall.ids import UserId

ANN = Caller(UserId(uuid4()))
MISSING = b"<Error><Code>NoSuchKey</Code><Message>no</Message></Error>"


class Store(BaseHTTPRequestHandler):
    """An object store: what it holds is by the last part of the key."""

    asked: list[str]

    def do_GET(self) -> None:
        key = unquote(self.path).split("?")[0].removeprefix("/bucket/")
        self.asked.append(key)
        name = key.rsplit("/", 1)[-1]
        status, body = {"cv.pdf": (200, b"bytes"), "my cv.pdf": (200, b"spaced"), "busy.pdf": (503, b"")}.get(
            name, (404, MISSING)
        )
        length = 5_000_000 if name == "large.pdf" else len(body)
        self.send_response(200 if name in {"large.pdf", "cut.pdf"} else status)
        self.send_header("Content-Length", str(length + (name == "cut.pdf")))
        self.send_header("ETag", '"e"')
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = True

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[str]]:
    """What the store was asked for."""
    seen: list[str] = []
    server = ThreadingHTTPServer(("127.0.0.1", 0), type("Here", (Store,), {"asked": seen}))
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    use(monkeypatch, f"http://127.0.0.1:{server.server_port}")
    yield seen
    clients.hasty_s3.cache_clear()
    server.shutdown()
    thread.join()
    server.server_close()


def use(monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "local")
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-north-1")
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", url)
    clients.hasty_s3.cache_clear()


def key(name: str) -> str:
    return new_key(ANN, "x").rsplit("/", 1)[0] + f"/{name}"


def test_several_files_are_read_each_with_what_became_of_it(asked: list[str]) -> None:
    keys = {name: key(name) for name in ("cv.pdf", "gone.pdf", "large.pdf", "busy.pdf", "cut.pdf")}

    found = fetch.fetch("bucket", ANN, list(keys.values()))

    assert {name: found[each] for name, each in keys.items()} == {
        "cv.pdf": (keys["cv.pdf"], b"bytes"),
        "gone.pdf": Trouble.MISSING,
        "large.pdf": Trouble.TOO_LARGE,
        "busy.pdf": Trouble.UNAVAILABLE,
        "cut.pdf": Trouble.UNAVAILABLE,
    }
    assert not [thread for thread in threading.enumerate() if thread.name.startswith("attachment")]


def test_the_decoded_key_is_tried_after_the_given_one(asked: list[str]) -> None:
    given = key("my%20cv.pdf")

    found = fetch.fetch("bucket", ANN, [given])

    assert found[given] == (key_decoded := given.replace("%20", " "), b"spaced")
    assert asked == [given, key_decoded] or asked == [key_decoded, key_decoded]


def test_nobody_elses_file_is_asked_for(asked: list[str]) -> None:
    theirs = new_key(Caller(UserId(uuid4())), "cv.pdf")

    assert fetch.fetch("bucket", ANN, [theirs, "uploads/x/cv.pdf"]) == {
        theirs: Trouble.MISSING,
        "uploads/x/cv.pdf": Trouble.MISSING,
    }
    assert asked == []


def test_a_store_that_is_not_there_is_said_to_be_unavailable(monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, "http://127.0.0.1:1")

    wanted = key("cv.pdf")

    assert fetch.fetch("bucket", ANN, [wanted]) == {wanted: Trouble.UNAVAILABLE}
    clients.hasty_s3.cache_clear()
