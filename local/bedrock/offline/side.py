"""Side calls: a title or a summary of a quoted conversation, made of its own words and nothing else."""

import re
from collections.abc import Iterator
from typing import Final

from local.bedrock.offline.clauses import clauses
from local.bedrock.offline.situation import Situation
from local.bedrock.offline.words import GLUE, raw_words

_TITLE: Final = re.compile(
    r"\b(?:title|name) (?:for|of|to) (?:this|the|a)\b.*\b(?:conversation|chat)|\b(?:conversation|short) title\b",
    re.IGNORECASE,
)
_SUMMARY: Final = re.compile(r"\bsummar(?:y|i[sz]e)\b", re.IGNORECASE)
_QUOTED: Final = re.compile(
    r"^\[(conversation|summary so far) (\w+)\][ \t]*$\n(.*?)\n^\[/\1 \2\][ \t]*$", re.DOTALL | re.MULTILINE
)
_LINE: Final = re.compile(
    r"^(User|Assistant|Result of \w+|Error of \w+|Assistant called \w+)\s*:\s*(.*)", re.IGNORECASE
)
_POLITE: Final = re.compile(
    r"^(?:(?:hello|hi|hey|hej|please|and|so|now|then|ok(?:ay)?|thanks|thank you|could you|can you|would you|"
    r"i(?:'d| would) like (?:you )?to|i want (?:you )?to|show me|tell me|give me)\b[\s,!.:]*)+",
    re.IGNORECASE,
)
_SENTENCE: Final = re.compile(r"(?<=[.!?])\s+")
_TITLE_WORDS: Final = 7
_BULLET_CHARACTERS: Final = 200
_BULLETS: Final = 15
_MIN_WORDS: Final = 2


def side_task(situation: Situation) -> str | None:
    """Answer a title or a summary that the system prompt asks for; None where it asks for neither."""
    if situation.tools:
        return None
    quoted = {match[1]: match[3] for match in _QUOTED.finditer(situation.typed)}
    told = list(_said(quoted.get("conversation", situation.typed)))
    if _TITLE.search(situation.system):
        return _title(told)
    if _SUMMARY.search(situation.system):
        return _summary(quoted.get("summary so far", ""), told)
    return None


def _said(text: str) -> Iterator[tuple[str, str]]:
    """Part a quoted conversation into (who, what); a line without a speaker goes on with the one before."""
    who, what = "User", ""
    for line in text.splitlines():
        match = _LINE.match(line)
        if match is None:
            what += f" {line.strip()}"
            continue
        if what.strip():
            yield who, " ".join(what.split())
        who, what = match[1].capitalize(), match[2]
    if what.strip():
        yield who, " ".join(what.split())


def _title(told: list[tuple[str, str]]) -> str:
    """The first words of the first thing the user said that is about something."""
    asked = [what for who, what in told if who == "User"]
    about = next((what for what in asked if _content(what) >= _MIN_WORDS), asked[0] if asked else "")
    asks = clauses(_POLITE.sub("", about) or about)
    words = asks[0].split()[:_TITLE_WORDS] if asks else []
    while len(words) > 1 and words[-1].lower() in GLUE:
        words.pop()
    title = " ".join(words).strip(" .,;:!?\"'“”")
    return title[:1].upper() + title[1:] or "Conversation"


def _content(text: str) -> int:
    return sum(word not in GLUE for word in raw_words(_POLITE.sub("", text)))


def _summary(before: str, told: list[tuple[str, str]]) -> str:
    """The bullets so far, and the first sentence of each thing that was said since."""
    old = [line.strip() for line in before.splitlines() if line.strip()]
    new = [f"- {who}: {_first(what)}" for who, what in told if _content(what)]
    bullets = [*old, *new]
    if len(bullets) > _BULLETS:  # what the user said tells most
        spoken = [bullet for bullet in bullets if bullet.startswith("- User:")]
        bullets = spoken[-_BULLETS:] if len(spoken) >= _BULLETS else bullets[-_BULLETS:]
    return "\n".join(bullets) or "- Nothing was said."


def _first(text: str) -> str:
    sentence = _SENTENCE.split(text)[0]
    return f"{sentence[:_BULLET_CHARACTERS]}…" if len(sentence) > _BULLET_CHARACTERS else sentence
