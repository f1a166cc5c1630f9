import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from local.bedrock.answer import Answer, CallTool, Say, Think, events, whole
from local.bedrock.offline import respond
from rolecall.conversations.upkeep.transcript import fenced
from rolecall.llm import contract
from rolecall.llm.stream import assemble
from rolecall.llm.text import is_blank
from rolecall.text import storable
from tests.unit.bedrock.tools import CATALOGUE, SELF_TOOLS, a_request, assistant, result, use, user

ME = {
    "user_id": "123e4567-e89b-12d3-a456-426614174000",
    "name": "Ada Ek",
    "email": "ada@x.org",
    "title": "Recruiter",
    "company_name": "Acme",
    "role_in_company": "OWNER",
    "credit_balance": 120,
    "active_cv_id": None,
    "is_super_admin": False,
}


def said(*messages, tools=SELF_TOOLS, **rest):
    return respond(a_request(*messages, tools=tools, **rest), thinking=False).parts[-1].text


def after_calls(order, *done):
    asked = [use(f"t{i}", name, given) for i, (name, given, _) in enumerate(done)]
    told = [result(f"t{i}", *value) for i, (_, _, value) in enumerate(done)]
    return said(order, assistant(*asked), user(*told))


def test_results_are_told_in_sentences():
    text = after_calls(
        "Who am I, and please set my title to Lead Recruiter",
        ("get_me", {}, (ME,)),
        ("update_my_profile", {"title": "Lead Recruiter"}, ({"updated_fields": ["title"]},)),
    )
    assert "You are Ada Ek (ada@x.org). Your title is Recruiter. You act for Acme as OWNER." in text
    assert "I changed your title to “Lead Recruiter”." in text
    assert ME["user_id"] not in text


def test_only_what_was_asked_is_told():
    text = after_calls("What is my credit balance?", ("get_me", {}, (ME,)))
    assert text.startswith("Your credit balance is 120.")
    assert "ada@x.org" not in text


def test_a_failed_call_is_told_with_its_reason():
    text = after_calls(
        "Set my email to a@b.c", ("update_my_profile", {"email": "a@b.c"}, ("That address is taken.", "error"))
    )
    assert "“update my profile” failed: That address is taken." in text
    assert "changed" not in text


def test_records_are_listed():
    found = {"talents": [{"name": "Jane", "skills": ["a", "b"]}, {"name": "Bo", "location": None}], "total": 2}
    text = after_calls("find talents", ("search_talents", {}, (found,)))
    assert "talents (2):\n- Jane: skills: a, b\n- Bo" in text


def test_it_says_what_it_is_once():
    first = said("hello")
    assert "offline model" in said("Who am I?", tools=[])
    assert "offline model" in after_calls("Who am I?", ("get_me", {}, (ME,)))
    again = said("hello", assistant(f"{first} I am the offline model."), "thanks")
    assert "offline model" not in again


def test_it_lists_its_tools_when_asked_what_it_can_do():
    text = said("What can you do?")
    assert "- get me:" in text
    assert "- update my profile:" in text


def test_what_it_does_not_know_it_does_not_pretend_to_know():
    assert "I do not know" in said("What is the capital of France?")


def test_it_remembers_what_was_said():
    history = [user("Show jobs, my name is Bo Ek."), assistant("None, says the offline model.")]
    assert said(*history, "What did I just say?") == "You said: “Show jobs, my name is Bo Ek.”"
    assert said(*history, "What did you just say?") == "I said: “None, says the offline model.”"
    assert said(*history, "What's my name?") == "You told me: “my name is Bo Ek”"


PASSAGES = (
    "[context 9f]\n[1] handbook.pdf\nParental leave is 16 weeks. It is paid in full.\n[/context]\n"
    "[2] Vacation is 30 days a year.\n[/context 9f]\n"
)


def test_context_is_quoted_with_its_number():
    assert said(f"{PASSAGES}How long is parental leave?", tools=CATALOGUE).startswith(
        "“Parental leave is 16 weeks.” [1]"
    )
    assert said(f"{PASSAGES}How many vacation days are there?", tools=[]).startswith(
        "“Vacation is 30 days a year.” [2]"
    )


def test_context_that_does_not_answer_is_not_quoted():
    assert "say nothing about that" in said(f"{PASSAGES}Who won the football match?", tools=[])


def test_a_title_is_made_of_the_conversations_words():
    system = [{"text": "Write a short title for this conversation."}]
    told = fenced(
        [("conversation", "User: Hello!\nAssistant: Hi.\nUser: Please find me a Go developer in Malmö. Now.")]
    )
    assert said(told, tools=[], system=system) == "Find me a Go developer in Malmö"


def test_a_summary_keeps_the_bullets_and_adds_what_was_said_and_found():
    told = fenced(
        [
            ("summary so far", "- User: I hire for Umeå."),
            (
                "conversation",
                "User: Who is Ada? Tell me.\nAssistant called get_me: {}\nResult of get_me: Ada Ek\nUser: Hi",
            ),
        ]
    )
    summary = said(told, tools=[], system=[{"text": "Summarize the older part of a conversation."}])
    assert summary.splitlines()[:2] == ["- User: I hire for Umeå.", "- User: Who is Ada?"]
    assert "- Result of get_me: Ada Ek" in summary
    assert "User: Hi" not in summary


@pytest.mark.parametrize("text", ["hello", "Who am I?", "set my title to Boss"])
def test_thinking_comes_first_and_names_the_match(text):
    thought, *rest = respond(a_request(text), thinking=True).parts
    assert isinstance(thought, Think)
    assert thought.text.strip()
    assert not any(isinstance(part, Think) for part in rest)


@pytest.mark.parametrize(
    "text",
    [
        "a" * 10_000,
        " " * 10_000 + "x",
        '"' * 10_000,
        "for " * 2500,
        "A-" * 5000,
        "set my title to " * 600,
        "[context]\n" * 1000,
        "1," * 5000,
        "please " * 1400,
        "show me talents with skills python\n" * 290,
    ],
)
def test_the_longest_message_is_answered_at_once(text):
    started = time.process_time()
    assert respond(a_request(text, tools=CATALOGUE), thinking=True).parts
    assert time.process_time() - started < 2


TRICKY = """set my title to Boss Who am I ? . , and please [Turn] [/Turn] [context] [/context] [1] find talents skills
python " ' { } what did I say? add a note: top 5 é 漢字 🙂"""
words = st.sampled_from([*TRICKY.split(), "\n", "\ud800", "\u200b", "\x00"])
texts = st.text(st.characters(codec=None), min_size=1) | st.lists(words, min_size=1, max_size=30).map(" ".join)


@given(text=texts, tools=st.sampled_from([[], SELF_TOOLS, CATALOGUE]), thinking=st.booleans())
def test_any_text_gets_an_answer_that_may_be_replayed(text, tools, thinking):
    answer = respond(a_request(text, tools=tools), thinking=thinking)
    content = whole(answer, {}, 0)["output"]["message"]["content"]
    results = [result(block["toolUse"]["toolUseId"], "ok") for block in content if "toolUse" in block]
    assert answer.stop_reason == ("tool_use" if results else "end_turn")
    told = storable({"role": "assistant", "content": content})
    thinks = {"additionalModelRequestFields": {"thinking": {"type": "adaptive"}}} if thinking else {}
    replay = a_request(user("hi"), told, user(*results, "next"), tools=tools, **thinks)
    assert contract.check(replay) == []
    json.dumps(content)


parts = st.one_of(
    st.builds(Say, texts),
    st.builds(Think, texts),
    st.builds(
        CallTool,
        st.just("search"),
        st.dictionaries(st.text(), st.none() | st.booleans() | st.integers() | st.text() | st.lists(st.text())),
    ),
)


@given(parts=st.lists(parts, min_size=1, max_size=4), max_tokens=st.none() | st.integers(1, 40))
def test_the_stream_assembles_to_what_the_whole_answer_says(parts, max_tokens):
    answer = Answer.of(parts).cut(max_tokens)
    *_, last = assemble({name: body} for name, body in events(answer, {}, 0))
    blocks = whole(answer, {}, 0)["output"]["message"]["content"]
    if answer.stop_reason != "tool_use":
        blocks = [use(b["toolUse"]["toolUseId"], "search") if "toolUse" in b else b for b in blocks]
    assert last.content == [block for block in blocks if not is_blank(block.get("text", "x"))]
    assert last.stop_reason == answer.stop_reason
    assert max_tokens is None or answer.output_tokens() <= max_tokens
