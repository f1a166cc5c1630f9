"""The offline model: reads a request, plans, and answers by quoting."""

import re
from typing import Any

from local.bedrock.answer import Answer, Part, Say, Think
from local.bedrock.offline import attached, drafting, quoting, results, side, talk
from local.bedrock.offline.clauses import clauses
from local.bedrock.offline.picking import orders_change
from local.bedrock.offline.planning import Plan, plan, to_make
from local.bedrock.offline.situation import Situation, read
from local.bedrock.offline.words import human

_STRONG = 0.6
_ANALYSE = re.compile(r"^Step: analyse\b", re.MULTILINE)


def respond(body: dict[str, Any], *, thinking: bool) -> Answer:
    """Answer a legal Converse body.

    Args:
        body: the request, as Converse takes it.
        thinking: precede the answer by an account of what was matched.
    """
    situation = read(body)
    made = plan(situation)
    parts, reason = _aside(situation, made) or _decide(situation, made)
    thoughts: list[Part] = [Think(reason)] if thinking else []
    return Answer.of([*thoughts, *parts])


def _aside(situation: Situation, made: Plan) -> tuple[list[Part], str] | None:
    """Answer what is no part of the conversation: a title, a summary, a plan for later steps."""
    if (asked := side.side_task(situation)) is not None:
        return [Say(asked)], "This asks for a few of the conversation's own words."
    if (drafted := drafting.draft(situation)) is not None:
        return [drafted], "This asks for a job description, so I put the words of the wish in order."
    if _ANALYSE.search(situation.preamble):
        return [Say(_plan(made))], "I only plan in this step."
    return None


def _decide(situation: Situation, made: Plan) -> tuple[list[Part], str]:
    quotes = quoting.best(situation.typed, situation.passages)
    because = _sentence("; ".join(made.reasons))
    if not situation.done and not made.writes and not situation.choice and (told := _from_memory(situation, made)):
        return told
    calls = to_make(made, situation) if situation.may_call else []
    if calls:
        return list(calls), because
    if situation.done:
        text = results.account(situation.done, _asked(situation.typed))
        return _said(situation, "\n\n".join([text, *made.questions])), "The tools have answered; I say what they said."
    if made.questions:
        return _said(situation, "\n".join(made.questions)), because
    if quotes:
        return _said(situation, quoting.quoted(quotes)), "A passage of the context is near the question."
    if situation.passages:
        text = "The passages that I was given say nothing about that."
        return _said(situation, text), "No passage shares enough words with the question."
    return _said(situation, talk.small_talk(situation)), "No tool's words match what was typed."


def _plan(made: Plan) -> str:
    """Tell what the words ask for, as steps that are still to be made."""
    steps = [f"use {human(name)}" for name, _ in made.calls] + [f"ask: {question}" for question in made.questions]
    return "\n".join(f"{n}. {step}" for n, step in enumerate([*steps, "answer by what is known then"], start=1))


def _from_memory(situation: Situation, made: Plan) -> tuple[list[Part], str] | None:
    """Answer from what the request holds, where that is near enough to need no tool."""
    if (memory := talk.remembered(situation)) is not None:
        return _said(situation, memory), "The question is about this conversation, so I quote it."
    quotes = quoting.best(situation.typed, situation.passages)
    if quotes and quotes[0].share >= _STRONG:
        return _said(situation, quoting.quoted(quotes)), "A passage of the context shares the question's words."
    share = _STRONG if made.reasons else 0.0
    if (text := attached.quoted(situation.typed, situation.files, share=share)) is not None:
        return _said(situation, text), "A document that was attached shares the question's words."
    return None


def _asked(typed: str) -> str:
    """Return what of a message is a question, without its orders."""
    return "\n".join(clause for clause in clauses(typed) if not orders_change(clause))


def _said(situation: Situation, text: str) -> list[Part]:
    told = situation.introduced or "offline model" in text
    return [Say(text if told else f"{text}\n\n{talk.INTRODUCTION}")]


def _sentence(text: str) -> str:
    return f"The words {text}." if text else "I look at the words."
