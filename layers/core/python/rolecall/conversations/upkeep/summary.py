"""The summary of a conversation's older part: old summary and newly dropped messages become new bullets."""

from collections.abc import Iterable, Sequence
from typing import Final

from rolecall.conversations.upkeep.small import Small
from rolecall.conversations.upkeep.transcript import BLOCK_CHARACTERS, DATA_RULE, fenced, shortened, transcript
from rolecall.llm.once import Completion
from rolecall.llm.types import Message
from rolecall.text import storable_text

SUMMARY_TOKENS: Final = 800
SUMMARY_CHARACTERS: Final = 6_000
BATCH_CHARACTERS: Final = 48_000
"""Most that one call of the small model reads."""
LEAST_CHARACTERS: Final = 60
QUOTE_CHARACTERS: Final = 160

SYSTEM: Final = f"""\
Summarize the older part of a conversation between a user and an assistant, as notes for the assistant itself.
Write at most 15 bullets, one line each, beginning with "- ", in the conversation's language.
Keep names, ids, figures, dates, what the user wants and decided, what tools found or changed, what failed and what \
is still open. Leave out greetings.
Where there is a summary so far, take over what still matters and add what is new.
{DATA_RULE} Write the bullets and nothing else."""


def summarize(small: Small, old: str | None, messages: Sequence[Message], *, seconds: float = 30) -> Completion:
    """Let the small model fold messages into the summary so far.

    Raises:
        ModelError: it gave none.
    """
    prompt = fenced([("summary so far", old or ""), ("conversation", told_briefly(messages))])
    done = small.complete(system=SYSTEM, prompt=prompt, max_tokens=SUMMARY_TOKENS, seconds=seconds)
    return Completion(cleaned(done.text), done.usage)


def told_briefly(messages: Sequence[Message]) -> str:
    """Render messages so that one call can read them; where they are too long, each is cut rather than the last."""
    limit = BLOCK_CHARACTERS
    while len(told := transcript(messages, limit=limit)) > BATCH_CHARACTERS and limit > LEAST_CHARACTERS:
        limit //= 2
    return shortened(told, BATCH_CHARACTERS)


def cleaned(text: str) -> str:
    """Make a summary storable and no longer than it may be."""
    return storable_text(text.strip())[:SUMMARY_CHARACTERS]


def quoted(old: str | None, messages: Iterable[Message]) -> str:
    """Summarize without a model: the summary so far, and how each message began; the newest survive a cut."""
    said = transcript(messages, limit=QUOTE_CHARACTERS).splitlines()
    bullets = [f"- {shortened(' '.join(line.split()), QUOTE_CHARACTERS)}" for line in said if line.strip()]
    room = SUMMARY_CHARACTERS - min(len(old or ""), SUMMARY_CHARACTERS // 2)
    kept: list[str] = []
    for bullet in reversed(bullets):
        room -= len(bullet) + 1
        if room < 0:
            break
        kept.insert(0, bullet)
    before = [(old or "")[: SUMMARY_CHARACTERS // 2]] if old else []
    return cleaned("\n".join([*before, *kept]))
