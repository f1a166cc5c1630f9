"""Talk that needs no tool: greetings, what it can do, and what was said before, by quoting it."""

import re
from typing import Final

from local.bedrock.offline.situation import Situation
from local.bedrock.offline.words import human

INTRODUCTION: Final = (
    "(I am the offline model: I have no knowledge of my own; I choose tools by their words and quote what they return.)"
)

_GREETING: Final = re.compile(r"\W*(?:hello|hi|hey|hej|hallo|good (?:morning|afternoon|evening|day)|greetings)\b", re.I)
_ABILITIES: Final = re.compile(
    r"\bwhat (?:else )?can you (?:do|help)|\bhow can you help|\bwhat (?:tools|can i ask)|^\W*help\W*$|"
    r"\bwhat are you\b|\bwho are you\b|\bare you (?:a|an|the|real|human|claude|gpt|chatgpt|offline)\b|\bwhich model\b",
    re.IGNORECASE,
)
_THANKS: Final = re.compile(r"\W*(?:thanks|thank you|thx|tack|great|perfect|cool|nice|ok(?:ay)?|bye|goodbye)\b", re.I)
_WHAT_I_SAID: Final = re.compile(
    r"\bwhat (?:did|have) i (?:just )?(?:say|said|ask|asked|write|written|tell you|told you)|"
    r"\bwhat (?:was|were) my (?:last|previous|first) (?:question|message|words)|\brepeat (?:what i said|my)",
    re.IGNORECASE,
)
_WHAT_YOU_SAID: Final = re.compile(
    r"\bwhat (?:did|have) you (?:just )?(?:say|said|answer|tell me|told me)|\bwhat was your (?:last|previous) answer|"
    r"\b(?:repeat that|say that again)\b",
    re.IGNORECASE,
)
_FIRST: Final = re.compile(r"\bfirst\b", re.IGNORECASE)
_MY: Final = re.compile(
    r"\b(?:what(?:'s| is| was)|do you (?:know|remember)|tell me|who am i)\b(.*)", re.IGNORECASE | re.DOTALL
)
_TOLD: Final = re.compile(
    r"\bmy ([\w ]{2,30}?) (?:is|are|was) [^.!?\n]{1,200}|\b(?:call me|my name's) [^.!?\n]{1,80}", re.IGNORECASE
)
_MAX_QUOTE: Final = 300
_MAX_TOOLS: Final = 6
_SHORT_TALK: Final = 60


def remembered(situation: Situation) -> str | None:
    """Answer a question about the conversation itself by quoting it; None when it is not about that."""
    typed = situation.typed
    mine = [text for role, text in situation.earlier if role == "user"]
    yours = [text for role, text in situation.earlier if role == "assistant"]
    if _WHAT_I_SAID.search(typed):
        if not mine:
            return "This is your first message here."
        return f"You said: “{_short(mine[0] if _FIRST.search(typed) else mine[-1])}”"
    if _WHAT_YOU_SAID.search(typed):
        return f"I said: “{_short(yours[-1])}”" if yours else "I have not said anything yet."
    return _about_you(typed, mine)


def _about_you(typed: str, mine: list[str]) -> str | None:
    """Quote "my X is Y" said earlier when X is asked for now."""
    question = _MY.search(typed)
    if question is None:
        return None
    asked = re.search(r"\bmy ([\w ]{2,30}?)\s*(?:\?|$|[.,!])", question[1])
    about = asked[1].lower() if asked else "name" if "who am i" in typed.lower() else None
    for text in reversed(mine):
        for told in _TOLD.finditer(text):
            what = (told[1] or "name").lower()
            if about is not None and (what == about or what.endswith(f" {about}")):
                return f"You told me: “{_short(told[0])}”"
    return None


def is_small_talk(typed: str) -> bool:
    """Say whether a message is about the conversation or the model, not about records."""
    patterns = (_ABILITIES, _WHAT_I_SAID, _WHAT_YOU_SAID)
    return any(pattern.search(typed) for pattern in patterns) or bool(_THANKS.match(typed))


def small_talk(situation: Situation) -> str:
    """Answer what no tool and no passage answers, without pretending to know."""
    typed = situation.typed
    if _ABILITIES.search(typed):
        return f"I am the offline model that comes with Rolecall. {_abilities(situation)}"
    if _GREETING.match(typed) and len(typed) < _SHORT_TALK:
        return f"Hello! {_abilities(situation)}"
    if _THANKS.match(typed) and len(typed) < _SHORT_TALK:
        return (
            "You are welcome."
            if re.match(r"\W*(?:thank|thx|tack)", typed, re.I)
            else "Good. Ask me when you need something."
        )
    if situation.files.unread:
        return f"I got {', '.join(situation.files.unread)}, but I cannot read that. {_abilities(situation)}"
    if not typed:
        return f"Your message has no words that I can read. {_abilities(situation)}"
    return f"None of my tools fits “{_short(typed)}”, and I do not know the answer by myself. {_abilities(situation)}"


def _abilities(situation: Situation) -> str:
    if not situation.tools:
        return "I have no tools in this conversation; I can quote what you give me and what was said."
    lines = [f"- {human(tool['name'])}: {_first_sentence(tool)}" for tool in situation.tools[:_MAX_TOOLS]]
    more = len(situation.tools) - _MAX_TOOLS
    if more > 0:
        lines.append(f"- and {more} more")
    return "\n".join(["Ask me in plain words for:", *lines])


def _first_sentence(tool: dict[str, object]) -> str:
    text = " ".join(str(tool.get("description") or "no description").split())
    return re.split(r"(?<=[.!?])\s", text, maxsplit=1)[0][:_MAX_QUOTE]


def _short(text: str) -> str:
    text = " ".join(text.split())
    return f"{text[:_MAX_QUOTE]}…" if len(text) > _MAX_QUOTE else text
