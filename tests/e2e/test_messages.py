"""Messages with files, said anew, answered anew, and never lost."""

import re
import struct
import zlib
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from local.bedrock.answer import Say
from local.stack import Stack
from tests.e2e.steps import answer, attach, ended, said, say, script

pytestmark = pytest.mark.e2e


def a_picture(path: Path) -> Path:
    """Write a real PNG of one colour."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = (b"\0" + bytes((90, 160, 140)) * 40) * 30
    header = struct.pack(">IIBBBBB", 40, 30, 8, 2, 0, 0, 0)
    path.write_bytes(
        b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    )
    return path


def test_files_go_with_a_message_and_are_shown_after_a_reload(page: Page, stack: Stack, tmp_path: Path) -> None:
    picture, notes = a_picture(tmp_path / "office.png"), tmp_path / "notes.txt"
    notes.write_text("The office is in Malmö.\n")
    refused = tmp_path / "scan.tiff"
    refused.write_text("x")
    attach(page, [picture, notes, refused])
    chips = page.get_by_role("list", name="Attached files").get_by_role("listitem")
    expect(chips).to_have_count(2)
    expect(page.get_by_role("alert").filter(has_text="scan.tiff")).to_contain_text("Only images, PDF")
    expect(chips.filter(has_text="%")).to_have_count(0)

    page.get_by_role("textbox", name="Message", exact=True).press("Enter")  # files alone are a message

    ended(page)
    request = next(each for each in reversed(stack.bedrock.requests) if "image" in str(each.body["messages"]))
    assert "document" in str(request.body["messages"])
    expect(chips).to_have_count(2)  # now with the message
    page.reload()
    shown = said(page).get_by_role("img", name="office.png")
    expect(shown).to_be_visible()
    assert shown.evaluate("async image => { await image.decode(); return image.naturalWidth }") == 40
    expect(said(page).get_by_role("button", name=re.compile("^Download ?notes.txt"))).to_be_visible()


def test_a_file_that_lies_comes_back_with_the_words(page: Page, tmp_path: Path) -> None:
    liar = tmp_path / "photo.png"
    liar.write_bytes(b"MZ this is a program")
    attach(page, [liar])
    chip = page.get_by_role("list", name="Attached files").get_by_role("listitem")
    expect(chip).to_contain_text("20 B")

    say(page, "What is on it?")

    expect(page.get_by_text("Not sent", exact=True)).to_be_visible()
    expect(page.get_by_role("textbox", name="Message", exact=True)).to_have_value("What is on it?")
    expect(chip).to_contain_text("Failed")
    expect(page.get_by_role("button", name="Send again", exact=True)).to_be_disabled()
    chip.get_by_role("button", name="Remove photo.png").click()
    page.get_by_role("button", name="Send again", exact=True).click()
    ended(page)


def test_a_message_is_said_otherwise_and_what_followed_goes(page: Page, stack: Stack) -> None:
    script(stack, Say("The first answer."))
    say(page, "First question")
    ended(page)
    script(stack, Say("The second answer."))
    say(page, "Second question")
    expect(ended(page)).to_contain_text("The second answer.")

    said(page).first.hover()
    page.get_by_role("button", name="Edit and send again").first.click()
    field = page.get_by_role("textbox", name="Edit your message")
    expect(field).to_be_focused()
    page.keyboard.press("Escape")
    expect(field).to_be_hidden()
    page.get_by_role("button", name="Edit and send again").first.press("Enter")
    field.fill("Better question")
    script(stack, Say("The better answer."))
    field.press("Enter")

    expect(ended(page)).to_contain_text("The better answer.")
    expect(said(page)).to_have_text(["Better question"])
    page.reload()
    expect(ended(page)).to_contain_text("The better answer.")
    expect(said(page)).to_have_text(["Better question"])


def test_an_answer_is_given_anew_and_rated_and_explained(page: Page, stack: Stack) -> None:
    script(stack, Say("One way to put it."))
    say(page, "Tell me")
    ended(page)
    script(stack, Say("Another way to put it."))
    answer(page).get_by_role("button", name="Answer again").press("Enter")

    expect(answer(page)).to_contain_text("Another way")
    shown = ended(page)
    expect(page.get_by_role("article")).to_have_count(2)
    good = shown.get_by_role("button", name="Good answer")
    good.click()
    expect(good).to_have_attribute("aria-pressed", "true")
    shown.get_by_role("textbox").fill("Short and clear")
    shown.get_by_role("button", name="Send comment").click()
    expect(shown.get_by_text("Thank you.")).to_be_visible()
    page.reload()
    expect(good).to_have_attribute("aria-pressed", "true")
    shown.get_by_role("button", name="What happened").click()
    steps = shown.get_by_role("region", name="What happened").get_by_role("listitem")
    expect(steps.last).to_contain_text("Finished")
    expect(steps.filter(has_text="Another way")).to_have_count(1)


def test_what_is_sent_without_a_connection_goes_out_when_there_is_one(page: Page, context: BrowserContext) -> None:
    say(page, "Hello")
    ended(page)
    page.get_by_role("textbox", name="Message", exact=True).fill("Half a th")
    page.reload()
    expect(page.get_by_role("textbox", name="Message", exact=True)).to_have_value("Half a th")

    context.set_offline(True)
    say(page, "Who am I?")
    expect(said(page).last).to_have_text("Who am I?")
    context.set_offline(False)

    expect(ended(page)).to_contain_text("Robin Lindqvist")


def test_a_conversation_that_is_not_kept_says_so_and_can_be_gone_back_to(page: Page) -> None:
    page.get_by_role("checkbox", name=re.compile("keep this conversation$")).check()
    expect(page.locator("main > header").get_by_text("Not kept")).to_be_visible()
    say(page, "Who am I?")
    expect(ended(page)).to_contain_text("Robin Lindqvist")

    page.reload()

    expect(page.locator("main > header").get_by_text("Not kept")).to_be_visible()
    expect(ended(page)).to_contain_text("Robin Lindqvist")
