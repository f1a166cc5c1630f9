"""A conversation's title, by the small model: one short line, whatever the model or the conversation says."""

import re
from collections.abc import Sequence
from typing import Final

from rolecall.conversations.upkeep.small import Small
from rolecall.conversations.upkeep.transcript import DATA_RULE, fenced, transcript
from rolecall.llm.once import Completion
from rolecall.llm.types import Message
from rolecall.text import is_blank, storable_text

TITLE_TOKENS: Final = 60
TITLE_CHARACTERS: Final = 80
TITLE_SECONDS: Final = 20.0
SHOWN_CHARACTERS: Final = 600
"""Of each text; a title needs no more."""
FIRST_EXCHANGE: Final = 2
EVERY_MESSAGES: Final = 5
"""A title is made anew after so many more messages."""

SYSTEM: Final = f"""\
Write a short title for this conversation: three to seven words, in its language, that tell it from others. \
No quotes, no full stop, no label before it. {DATA_RULE} Write the title and nothing else."""
_LABEL: Final = re.compile(r"^\s*(?:title|titel|titre|título)\s*:\s*", re.IGNORECASE)
_AROUND: Final = " \t.,;:!\"'`*_#-\u2018\u2019\u201c\u201d\u201e\u00ab\u00bb\u2013\u2014"


def is_due(message_count: int, titled_count: int | None) -> bool:
    """Say whether a title is to be made: after the first exchange, then after every five messages."""
    if titled_count is None:
        return message_count >= FIRST_EXCHANGE
    return message_count - titled_count >= EVERY_MESSAGES


def make_title(small: Small, summary: str | None, messages: Sequence[Message]) -> tuple[str | None, Completion]:
    """Let the small model name a conversation; None where what it said is no title.

    Raises:
        ModelError: it gave no answer.
    """
    told = transcript(messages, limit=SHOWN_CHARACTERS)
    prompt = fenced([("summary so far", summary or ""), ("conversation", told)])
    done = small.complete(system=SYSTEM, prompt=prompt, max_tokens=TITLE_TOKENS, seconds=TITLE_SECONDS)
    return clean_title(done.text), done


def clean_title(text: str) -> str | None:
    """Make one line of at most 80 characters of what a model said, without quotes or marks around it; None if blank."""
    line = next((line for line in storable_text(text).splitlines() if line.strip(_AROUND) and not is_blank(line)), "")
    words = " ".join(_LABEL.sub("", line.strip(_AROUND)).split()).strip(_AROUND)
    if len(words) > TITLE_CHARACTERS:
        words = words[: TITLE_CHARACTERS - 1].rsplit(" ", 1)[0].strip(_AROUND) + "…"
    return None if is_blank(words) else words
