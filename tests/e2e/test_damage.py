"""A conversation whose stored rows were damaged by hand is shown and goes on, on the page, in each way of damage."""

import psycopg
import pytest
from playwright.sync_api import Page, expect
from psycopg.conninfo import make_conninfo

from local.stack import Stack
from rolecall.db.bootstrap import DATABASE
from tests.e2e.steps import ended, say
from tests.functional.test_damage import DAMAGE

pytestmark = pytest.mark.e2e

NEWEST = "SELECT id FROM agent_message WHERE role = 'ASSISTANT' ORDER BY position DESC LIMIT 1"


@pytest.mark.timeout(600)  # nineteen conversations
def test_a_damaged_conversation_goes_on(page: Page, stack: Stack) -> None:
    url = make_conninfo(stack.superuser_url, dbname=DATABASE)
    for kind, (statements, _) in DAMAGE.items():
        page.goto(stack.http_url)
        say(page, "Who am I?")
        ended(page)
        with psycopg.connect(url) as conn:
            (turn,) = conn.execute(NEWEST).fetchone() or ()
            for statement in statements.split("; "):
                conn.execute(statement, {"turn": turn})  # type: ignore[call-overload]
        page.reload()
        expect(page.get_by_role("textbox", name="Message", exact=True)).to_be_enabled()

        say(page, "And once more, who am I?")

        expect(ended(page), kind).to_contain_text("Robin Lindqvist")
        expect(page.get_by_role("alert"), kind).to_have_count(0)
