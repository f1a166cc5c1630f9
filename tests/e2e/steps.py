"""What browser tests do again and again."""

import re
from collections.abc import Iterable
from pathlib import Path

from playwright.sync_api import Locator, Page, expect

from local.bedrock.script import Step
from local.stack import Stack

WORDS = " ".join(f"word{number}" for number in range(120))


def say(page: Page, words: str) -> None:
    """Type a message and send it."""
    page.get_by_role("textbox", name="Message", exact=True).fill(words)
    page.keyboard.press("Enter")


def script(stack: Stack, *steps: Step) -> None:
    """Say what the model answers next; questions of the search are none of its."""
    stack.bedrock.script.push(*steps, when=lambda body: "messages" in body)


def answer(page: Page, nth: int = -1) -> Locator:
    """One of the answers that are shown."""
    return page.get_by_role("article", name=re.compile("answered$")).nth(nth)


def ended(page: Page, nth: int = -1) -> Locator:
    """The answer, once it is whole."""
    found = answer(page, nth)
    expect(found).to_have_attribute("aria-busy", "false")
    return found


def said(page: Page) -> Locator:
    """What the person said."""
    return page.get_by_role("article", name="You said")


def attach(page: Page, files: Iterable[Path]) -> None:
    """Choose files for the next message."""
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Attach files").click()
    chooser.value.set_files(list(files))
