"""Which calls a message asks for: one tool a clause, with its arguments, or a question for what is missing."""

import re
from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Final

from local.bedrock.answer import CallTool
from local.bedrock.offline.arguments import Filled, fill, made_up
from local.bedrock.offline.clauses import asks, clauses
from local.bedrock.offline.picking import Catalogue, Match, orders_change, schema_of, vague, writes
from local.bedrock.offline.recall import recall
from local.bedrock.offline.schema import parameters
from local.bedrock.offline.situation import Done, Situation
from local.bedrock.offline.talk import is_small_talk
from local.bedrock.offline.words import content, human, verb_class

MAX_CALLS: Final = 10
MAX_CLAUSES: Final = 40
_BACK: Final = re.compile(r"^\W*(?:please )?(?:set|change|update|correct|add|use|save|note) (?:it|that|this)\b", re.I)
"""An order that points back at what was said just before."""
_PER_ARGUMENT: Final = 0.6
_INCOMPLETE: Final = 1.5
_ASKED: Final = re.compile(r"To (.+?) I need the (.+?)(?: \(|\. Which)")


@dataclass
class Plan:
    """Calls to make, questions to ask, and why."""

    calls: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    questions: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    writes: bool = False


def plan(situation: Situation) -> Plan:
    """Plan the turn from what the user typed; context and tool results have no say in it."""
    made = Plan()
    catalogue = Catalogue(situation.tools)
    typed = _with_what_was_asked(situation)
    known = situation.known + situation.done
    before = ""
    for clause in clauses(typed)[:MAX_CLAUSES]:
        if asks(clause):
            _plan_clause(made, catalogue, f"{before}, {clause}" if _BACK.search(clause) else clause, known)
        before = "" if asks(clause) else clause.rstrip(".!")
    if not (made.calls or made.questions or situation.passages) and "?" in typed and not is_small_talk(typed):
        _look_up(made, situation.tools, typed)
    _force(made, situation, catalogue)
    made.calls = made.calls[:MAX_CALLS]
    return made


def _plan_clause(made: Plan, catalogue: Catalogue, clause: str, known: list[Done]) -> None:
    chosen = _choose(catalogue, clause, known)
    if chosen is None:
        return
    match, filled = chosen
    changes = writes(match.tool)
    if filled.missing or (changes and vague(match.tool, filled.input)):
        made.questions.append(_question(match.tool, filled))
        made.reasons.append(f"{_because(match)}, but something that it needs was not said")
        return
    made.writes |= changes
    made.reasons.append(_because(match) + _given(filled))
    _add(made, match.tool["name"], filled.input, merge=changes)


def _choose(catalogue: Catalogue, clause: str, known: list[Done]) -> tuple[Match, Filled] | None:
    """Return the tool that fits best by its words and by how many of its arguments the clause holds."""
    best, most = None, float("-inf")
    for match in catalogue.rank(clause):
        changes = writes(match.tool)
        if changes and not orders_change(clause):
            continue
        filled = recall(fill(match.tool, clause), clause, known)
        needed = sum(p.required and p.name in filled.input for p in parameters(schema_of(match.tool)))
        incomplete = bool(filled.missing) or (changes and vague(match.tool, filled.input))
        value = match.score + _PER_ARGUMENT * (len(filled.input) + needed) - _INCOMPLETE * incomplete
        if value > most:
            best, most = (match, filled), value
    return best


def _add(made: Plan, name: str, given: dict[str, Any], *, merge: bool) -> None:
    for other, earlier in made.calls:
        if other == name and merge and earlier.keys().isdisjoint(given):
            earlier |= given
            return
    if (name, given) not in made.calls:
        made.calls.append((name, given))


def _look_up(made: Plan, tools: list[dict[str, Any]], typed: str) -> None:
    """Give a question that fits no tool by its words to a search in documents, if there is one."""
    for tool in tools:
        required = [p.name for p in parameters(schema_of(tool)) if p.required]
        searches = verb_class(tool["name"].split("_")[-1]) == "get" or verb_class(tool["name"].split("_")[0]) == "get"
        about = content(f"{human(tool['name'])} {tool.get('description') or ''}")
        if searches and required == ["query"] and about & {"knowledg", "document"}:
            made.calls.append((tool["name"], {"query": typed}))
            made.reasons.append(f"of the question fit no tool, so I search with {tool['name']}")
            return


def _force(made: Plan, situation: Situation, catalogue: Catalogue) -> None:
    """Obey toolChoice: a call that must be made is made, with the least arguments that are legal."""
    name = situation.choice.get("tool", {}).get("name")
    if situation.done or (name is None and ("any" not in situation.choice or made.calls)):
        return
    if name is None:
        ranked = catalogue.rank(situation.typed)
        name = ranked[0].tool["name"] if ranked else situation.tools[0]["name"]
    if not any(called == name for called, _ in made.calls):
        tool = next(tool for tool in situation.tools if tool["name"] == name)
        made.calls = [(name, made_up(tool, situation.typed))]
        made.reasons.append(f"the request demands {name}")


def _with_what_was_asked(situation: Situation) -> str:
    """Join the answer to a question of ours with the order that it belongs to."""
    roles = [role for role, _ in situation.earlier]
    if roles[-2:] != ["user", "assistant"]:
        return situation.typed
    asked = _ASKED.search(situation.earlier[-1][1])
    if asked is None or asks(situation.typed):
        return situation.typed
    return f"{situation.earlier[-2][1].rstrip('.!?')}, {asked[2]}: {situation.typed}"


def _question(tool: dict[str, Any], filled: Filled) -> str:
    if not filled.missing:
        fields = [human(p.name) for p in parameters(schema_of(tool)) if not p.name.endswith(("_id", "_ids"))]
        return f"What shall I change with “{human(tool['name'])}”: {', '.join(fields)}?"
    parameter = filled.missing[0]
    choices = f" (one of: {', '.join(human(str(value)) for value in parameter.enum)})" if parameter.enum else ""
    return f"To {human(tool['name'])} I need the {human(parameter.name)}{choices}. Which shall I take?"


def _because(match: Match) -> str:
    return f"{', '.join(f'“{word}”' for word in match.words)} fit {match.tool['name']}"


def _given(filled: Filled) -> str:
    if not filled.input:
        return ""
    return " with " + ", ".join(f"{name} = {value!r}" for name, value in filled.input.items())


def to_make(made: Plan, situation: Situation) -> list[CallTool]:
    """Return the planned calls that the turn has not made yet; a call that has failed is not made again."""
    before = [(done.name, done.input) for done in situation.done]
    left = Counter(name for name, _ in made.calls)
    left.subtract(name for name, _ in before)  # its input may have been edited before it ran
    calls = [CallTool(name, given) for name, given in made.calls if (name, given) not in before]
    return [call for i, call in enumerate(calls) if left[call.name] > sum(c.name == call.name for c in calls[:i])]
