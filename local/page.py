"""What the page is made of here: the built files, the people one may be, and the model that answers."""

import mimetypes
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from local.demo import DEMO_JOB_SEEKER, DEMO_RECRUITER, PEOPLE
from local.paths import CHECKOUT
from local.tokens import token_for
from rolecall.identity import Caller

DIST: Final = CHECKOUT / "web" / "dist"
NOT_BUILT: Final = """\
<!doctype html><html lang="en"><meta charset="utf-8"><title>Rolecall</title>
<h1>The page is not built</h1>
<p>Install Node.js 20.19 or newer, then stop Rolecall and start it with <code>make run</code>
(or build the page with <code>make web</code>).</p>
<p>Everything else runs: <code>rolecall chat "Who am I?"</code></p></html>
"""

_WHO: Final[dict[str, Caller]] = {"recruiter": DEMO_RECRUITER, "job-seeker": DEMO_JOB_SEEKER}
_TYPES: Final = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml", ".woff2": "font/woff2"}
"""Named here because a machine's own table may say otherwise."""


@dataclass(frozen=True)
class PageFile:
    """A file of the page. `hashed`: its name changes with its content."""

    body: bytes
    mime: str
    hashed: bool


@dataclass(frozen=True)
class Page:
    """The page of a running stack."""

    token_secret: Callable[[], str]
    uploads_url: Callable[[], str]
    """Origin that files are uploaded to; empty before there is one."""
    model: str
    offline: bool
    folder: Path = DIST

    def file(self, path: str) -> PageFile | None:
        """Return a built file by the path of its address. Only files of the folder have one."""
        found = {f"/{file.relative_to(self.folder).as_posix()}": file for file in self._files()}
        wanted = "/index.html" if path == "/" else path
        if wanted not in found:
            return PageFile(NOT_BUILT.encode(), "text/html; charset=utf-8", hashed=False) if path == "/" else None
        file = found[wanted]
        return PageFile(file.read_bytes(), _mime(file), hashed=wanted.startswith("/assets/"))

    def _files(self) -> list[Path]:
        return [file for file in self.folder.rglob("*") if file.is_file()]

    @property
    def built(self) -> bool:
        """Whether there is a page to show."""
        return (self.folder / "index.html").is_file()

    def people(self) -> dict[str, Any]:
        """Whom one may be here, and which model answers; no secrets."""
        return {
            "people": [{"as": who, **_about(caller)} for who, caller in _WHO.items()],
            "model": {"name": self.model, "offline": self.offline},
        }

    def session(self, who: str, host: str) -> dict[str, Any] | None:
        """Return a token for one of the people, and where to connect; None: there is no such person."""
        caller = _WHO.get(who)
        if caller is None:
            return None
        return {"token": token_for(caller, self.token_secret()), "url": f"ws://{host}"}


def _about(caller: Caller) -> dict[str, Any]:
    person = next(each for each in PEOPLE if each["id"] == caller.user_id)
    return {
        "name": f"{person['first_name']} {person['last_name']}",
        "title": person["title"],
        "mode": caller.mode,
    }


def _mime(file: Path) -> str:
    guessed = _TYPES.get(file.suffix) or mimetypes.guess_type(file.name)[0] or "application/octet-stream"
    return f"{guessed}; charset=utf-8" if guessed.startswith("text/") else guessed
