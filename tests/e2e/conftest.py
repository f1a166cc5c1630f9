"""The whole local stack behind a real browser. Skipped, with the reason, where one of them is missing."""

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from local.page import DIST
from local.stack import Stack

CHROMIUM = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
PATIENCE_MS = 20_000
QUIET = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


@pytest.fixture(scope="package")
def running() -> Iterator[Stack]:
    """One stack for all browser tests."""
    if not (DIST / "index.html").is_file():
        pytest.skip("the page is not built; run `make web`")
    with tempfile.TemporaryDirectory(prefix="rolecall-") as folder, Stack(Path(folder), port=0, fsync=False) as stack:
        yield stack


@pytest.fixture
def stack(running: Stack) -> Iterator[Stack]:
    """The stack, with a model that answers at once and by itself."""
    running.bedrock.script.clear()
    running.bedrock.chunk_delay = 0.0
    yield running
    running.bedrock.script.clear()
    running.bedrock.chunk_delay = 0.0


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Debian's Chromium, without a window."""
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed; `apt-get install chromium`, or name it in CHROMIUM")
    with sync_playwright() as playwright:
        opened = playwright.chromium.launch(executable_path=CHROMIUM, args=QUIET)
        yield opened
        opened.close()


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A browser that nobody has used; a page of it that reports an error fails the test."""
    opened = browser.new_context(viewport={"width": 1280, "height": 800}, reduced_motion="reduce")
    opened.set_default_timeout(PATIENCE_MS)
    expect.set_options(timeout=PATIENCE_MS)
    problems: list[str] = []
    opened.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    opened.on("weberror", lambda problem: problems.append(str(problem.error)))
    yield opened
    opened.close()
    assert [problem for problem in problems if "ERR_" not in problem] == []


@pytest.fixture
def open_page(stack: Stack, context: BrowserContext) -> Callable[..., Page]:
    """Open a page and sign in."""

    def opening(who: str = "Robin Lindqvist") -> Page:
        page = context.new_page()
        page.goto(stack.http_url)
        page.get_by_role("button", name=f"Continue as {who}").click()
        page.get_by_role("heading", name="Good").wait_for()
        return page

    return opening


@pytest.fixture
def page(open_page: Callable[..., Page]) -> Page:
    """The recruiter's page, with nothing said yet."""
    return open_page()
