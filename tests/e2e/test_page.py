"""What a person does with the page, in a browser."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from local.bedrock.answer import CallTool, Say, Think
from local.bedrock.script import StreamError
from local.stack import Stack
from tests.e2e.steps import WORDS, answer, ended, say, script

pytestmark = pytest.mark.e2e


def test_a_question_is_answered_and_its_tools_are_shown(page: Page) -> None:
    say(page, "Who am I, and please set my title to Head of Hiring")

    shown = ended(page)
    expect(shown).to_contain_text("You are Robin Lindqvist")
    call = shown.get_by_role("button", name=re.compile("Update my profile done"))
    call.click()
    expect(shown.locator("dl").filter(has_text=re.compile("^titleHead of Hiring$"))).to_be_visible()
    expect(page.locator("a[aria-current=page]")).to_have_count(1)


def test_words_come_while_they_are_written_and_reasoning_is_folded(page: Page, stack: Stack) -> None:
    stack.bedrock.chunk_delay = 0.02
    script(stack, Think("First thought."), CallTool("get_me"))
    script(stack, Think("Second thought."), Say(WORDS))
    say(page, "Tell me")

    expect(answer(page)).to_contain_text("word5")
    assert answer(page).get_attribute("aria-busy") == "true"
    assert "word119" not in answer(page).inner_text()
    shown = ended(page)
    expect(shown).to_contain_text("word119")
    folds = shown.get_by_role("button", name="Show reasoning")
    expect(folds).to_have_count(2)
    expect(shown.get_by_text("Second thought.")).to_be_hidden()
    folds.last.click()
    expect(shown.get_by_text("Second thought.")).to_be_visible()
    expect(shown.get_by_text("First thought.")).to_be_hidden()


def test_a_reload_in_the_middle_shows_the_whole_answer_once(page: Page, stack: Stack) -> None:
    stack.bedrock.chunk_delay = 0.03
    script(stack, Say(WORDS))
    say(page, "Tell me")
    expect(answer(page)).to_contain_text("word10")

    page.reload()

    expect(answer(page)).to_contain_text("word10")
    shown = ended(page)
    assert shown.inner_text().count("word7 ") == 1
    expect(shown).to_contain_text(WORDS)
    expect(page.get_by_role("article")).to_have_count(2)


def test_a_message_that_a_reload_cut_off_is_answered_once(page: Page, context: BrowserContext) -> None:
    say(page, "Hello")
    ended(page)
    before = page.get_by_role("article").count()
    conversation = page.url.rpartition("/")[2]
    message = "11111111-2222-4333-8444-555555555555"
    page.evaluate(
        "([id, sent]) => sessionStorage.setItem(`rolecall.sent.${id}`, JSON.stringify(sent))",
        [conversation, {"conversationId": conversation, "messageId": message, "content": "Who am I?"}],
    )

    page.reload()

    expect(ended(page)).to_contain_text("Robin Lindqvist")
    page.reload()
    ended(page)
    expect(page.get_by_role("article")).to_have_count(before + 2)


def test_a_turn_of_another_tab_is_refused_without_losing_the_text_and_then_shown(
    page: Page, open_page: Callable[..., Page], stack: Stack
) -> None:
    say(page, "Hello")
    ended(page)
    other = open_page()
    other.goto(page.url)
    expect(answer(other)).to_be_visible()
    stack.bedrock.chunk_delay = 0.04
    script(stack, Say(WORDS))
    say(page, "Tell me")
    expect(answer(page)).to_contain_text("word3")

    say(other, "Am I heard?")

    expect(other.get_by_text("Not sent", exact=True)).to_be_visible()
    expect(other.get_by_role("main").get_by_text("Wait for the answer, or cancel it")).to_be_visible()
    expect(other.get_by_role("textbox", name="Message")).to_have_value("Am I heard?")
    expect(ended(other)).to_contain_text("word119")
    stack.bedrock.chunk_delay = 0.0
    other.get_by_role("button", name="Send again", exact=True).click()
    expect(other.get_by_role("article", name="You said").last).to_have_text("Am I heard?")
    expect(other.get_by_role("textbox", name="Message")).to_have_value("")
    ended(other)


def test_escape_stops_the_answer_and_keeps_what_was_written(page: Page, stack: Stack) -> None:
    stack.bedrock.chunk_delay = 0.04
    script(stack, Say(WORDS))
    say(page, "Tell me")
    expect(answer(page)).to_contain_text("word5")

    page.keyboard.press("Escape")

    shown = ended(page)
    expect(shown).to_contain_text("You stopped this answer.")
    expect(shown).to_contain_text("word5")
    expect(page.get_by_role("button", name="Send", exact=True)).to_be_visible()


def test_a_broken_answer_says_what_to_do_and_can_be_asked_again(page: Page, stack: Stack) -> None:
    script(stack, Say("Half of an answer that"), StreamError(after_chunks=2))
    say(page, "Who am I?")

    shown = ended(page)
    expect(shown).to_contain_text("This answer was not finished")
    expect(shown).to_contain_text("What was said so far is kept")
    shown.get_by_role("button", name="Try again").click()
    expect(ended(page)).to_contain_text("You are Robin Lindqvist")


def test_the_page_comes_back_after_its_socket_was_lost(page: Page, stack: Stack) -> None:
    stack.bedrock.chunk_delay = 0.03
    script(stack, Say(WORDS))
    say(page, "Tell me")
    expect(answer(page)).to_contain_text("word5")

    for connection in stack.gateway.registry.expired(0, 0):
        loop = stack.gateway._loop
        assert loop is not None
        loop.call_soon_threadsafe(connection.socket.transport.abort)

    expect(ended(page)).to_contain_text(WORDS)


def test_a_document_is_uploaded_asked_about_and_its_passage_opened(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "leave policy.md"
    file.write_text("# Leave\n\nParental leave lasts eighteen weeks and is paid at ninety percent.\n")
    page.get_by_role("button", name=re.compile("^Documents")).click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose files").click()
    chooser.value.set_files(file)
    row = page.get_by_role("list", name="Documents").get_by_role("listitem").filter(has_text="leave policy.md")
    expect(row).to_contain_text("Ready")
    page.get_by_role("button", name="Close").click()

    say(page, "How long does parental leave last?")

    shown = ended(page)
    expect(shown).to_contain_text("eighteen weeks")
    shown.get_by_role("button", name="Source 1: leave policy.md").click()
    panel = page.get_by_role("complementary", name="Source 1")
    expect(panel.get_by_role("blockquote")).to_contain_text("paid at ninety percent")
    expect(panel.get_by_role("heading", name="leave policy.md")).to_be_visible()
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()


def test_a_file_that_cannot_be_read_says_what_to_do(page: Page, tmp_path: Path) -> None:
    file = tmp_path / "empty.txt"
    file.write_bytes(b" \n")
    page.get_by_role("button", name=re.compile("^Documents")).click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose files").click()
    chooser.value.set_files(file)

    row = page.get_by_role("listitem").filter(has_text="empty.txt")
    expect(row).to_contain_text("Failed")
    expect(row).to_contain_text("upload it again")
    row.get_by_role("button", name="Delete empty.txt").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(row).to_be_hidden()


def test_a_conversation_is_renamed_found_and_deleted(page: Page) -> None:
    say(page, "Hello, please remember the quokka")
    ended(page)
    item = page.get_by_role("listitem").filter(has_text="quokka")
    item.hover()
    item.get_by_role("button", name="Rename").click()
    page.get_by_role("textbox", name="New title").fill("Marsupials")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Marsupials")).to_be_visible()

    search = page.get_by_role("textbox", name="Search conversations")
    search.fill("nothing like it")
    expect(page.get_by_text("Nothing found")).to_be_visible()
    search.fill("QUOKKA")
    renamed = page.get_by_role("listitem").filter(has_text="Marsupials")
    renamed.hover()
    renamed.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(renamed).to_be_hidden()
    expect(page.get_by_role("heading", name="Good")).to_be_visible()


def test_what_the_model_writes_cannot_act(page: Page, stack: Stack) -> None:
    script(
        stack,
        Say(
            "<img src=x onerror=alert(1)> <script>alert(2)</script> **bold** [bad](javascript:alert(3)) "
            "[good](https://example.com/) ![seen](https://example.com/pixel.png)"
        ),
    )
    asked: list[str] = []
    page.on("dialog", lambda dialog: asked.append(dialog.message))
    page.on("request", lambda request: asked.append(request.url) if "example.com" in request.url else None)
    say(page, "Write something")

    shown = ended(page)
    expect(shown.locator("strong")).to_have_text("bold")
    expect(shown).to_contain_text("<img src=x onerror=alert(1)>")
    assert shown.locator("img, script, [href^=javascript]").count() == 0
    expect(shown.get_by_role("link", name="good")).to_have_attribute("rel", "noopener noreferrer nofollow")
    assert asked == []


def test_everything_is_reached_by_keys_on_a_narrow_screen(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 640})
    say(page, "Hello")
    ended(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360

    page.get_by_role("button", name="Show conversations").focus()
    page.keyboard.press("Enter")
    drawer = page.get_by_role("dialog", name="Conversations")
    expect(drawer.get_by_role("link", name="Hello").first).to_be_visible()
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(page.get_by_role("button", name="Show conversations")).to_be_focused()
