"""Who answers: the agent's model, the keys of providers, the documents that a question is about."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from local.stack import Stack
from tests.e2e.steps import answer, attach, ended, say

pytestmark = pytest.mark.e2e

AXE = Path(__file__).parents[2] / "web" / "node_modules" / "axe-core" / "axe.min.js"


def settings(page: Page) -> None:
    page.get_by_role("button", name=re.compile("^Agent and model")).click()
    expect(page.get_by_role("radio", name=re.compile("^Standard model"))).to_be_visible()


def test_an_agent_is_given_a_model_and_goes_back_to_the_standard_one(page: Page, stack: Stack) -> None:
    settings(page)
    other = page.get_by_role("radio", name=re.compile("^rolecall.offline-small-v1"))
    other.check()
    expect(page.get_by_text("answers for Rolecall System Agent now.")).to_be_visible()
    expect(page.locator("main > header")).to_contain_text("rolecall.offline-small-v1")
    say(page, "Who am I?")
    ended(page)
    assert any("toolConfig" in each.body for each in stack.bedrock.side_requests)

    page.get_by_role("radio", name=re.compile("^Standard model")).check()
    expect(page.locator("main > header")).not_to_contain_text("small")


def test_a_provider_key_is_kept_told_by_its_end_and_forgotten(page: Page) -> None:
    settings(page)
    page.get_by_role("button", name="Set Key of OpenAI").click()
    page.get_by_label("Key of OpenAI").fill("sk-test-nonsense-98765")
    page.get_by_label("Address of OpenAI").fill("http://127.0.0.1:9/v1")
    page.get_by_role("button", name="Check and keep").click()
    row = page.get_by_role("list", name="Provider keys").get_by_role("listitem").filter(has_text="OpenAI").first
    expect(row).to_contain_text("8765")
    assert "nonsense" not in page.content()

    row.get_by_role("button", name=re.compile("^Forget the key")).click()
    expect(row).to_contain_text("Not set")


def test_the_reasoning_of_a_tool_is_shown_with_that_tool(page: Page) -> None:
    say(page, "Write a job description for a nurse")

    shown = ended(page)
    fold = shown.get_by_role("listitem").get_by_role("button", name=re.compile("^Show reasoning"))
    expect(fold).to_have_count(1)
    page.reload()
    ended(page)
    fold.click()
    expect(shown.get_by_role("listitem").first).to_contain_text("I put the words of the wish in order")
    expect(shown.get_by_role("button", name=re.compile("^Show reasoning"))).to_have_count(2)


def test_a_question_is_about_the_documents_that_were_chosen(page: Page, tmp_path: Path) -> None:
    for name, words in (
        ("north.md", "The north office opens at seven."),
        ("south.md", "The south office opens at nine."),
    ):
        (tmp_path / name).write_text(f"# Offices\n\n{words}\n")
    page.get_by_role("button", name=re.compile("^Documents")).click()
    with page.expect_file_chooser() as chooser:
        page.get_by_role("button", name="Choose files").click()
    chooser.value.set_files([tmp_path / "north.md", tmp_path / "south.md"])
    page.get_by_role("button", name="Ask about south.md").click()
    page.get_by_role("button", name="Close").click()
    expect(page.get_by_role("list", name="The question is about")).to_have_text("south.md")

    say(page, "When does the office open?")

    shown = ended(page)
    expect(shown).to_contain_text("nine")
    expect(shown.get_by_role("region", name="Sources")).not_to_contain_text("north.md")
    page.get_by_role("button", name="No longer ask about south.md").click()
    expect(page.get_by_role("list", name="The question is about")).to_be_hidden()


@pytest.mark.skipif(not AXE.is_file(), reason="axe-core is not installed; run `make web`")
def test_nothing_of_it_shuts_anybody_out(page: Page, open_page: Callable[..., Page], tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("Notes.\n")
    attach(page, [notes])
    expect(page.get_by_text("7 B")).to_be_visible()
    say(page, "Who am I?")
    shown = ended(page)
    shown.get_by_role("button", name="What happened").click()
    shown.get_by_role("button", name="Bad answer").click()
    settings(page)
    page.get_by_role("button", name="Set Key of OpenAI").click()
    for scheme in ("light", "dark"):
        page.emulate_media(color_scheme=scheme, reduced_motion="reduce")  # type: ignore[arg-type]
        page.wait_for_timeout(100)
        page.evaluate("Promise.allSettled(document.getAnimations().map(each => each.finished))")
        found = page.evaluate(f"{AXE.read_text()}; axe.run()")
        faults = [
            (each["id"], node["failureSummary"], node["html"][:80])
            for each in found["violations"]
            for node in each["nodes"]
        ]
        assert faults == []
    page.get_by_role("complementary", name="Agent and model").get_by_role("button", name="Close").click()
    page.set_viewport_size({"width": 390, "height": 780})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    expect(answer(page)).to_be_visible()
