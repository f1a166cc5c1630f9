"""The visible words that repair puts where something has to stand."""

from typing import Any, Final

from rolecall.llm.text import is_blank

BEFORE: Final = "(The conversation began before this.)"
NOTHING: Final = "(There is no message.)"
GO_ON: Final = "(Please go on.)"
INTERRUPTED: Final = "The call was interrupted; whether it took effect is not known."
NO_OUTPUT: Final = "(no output)"
FAILED: Final = "The tool failed without saying why."
ATTACHED: Final = "(See what is attached.)"
CUT: Final = " … (cut here: the conversation is too large)"
TOO_LARGE: Final = "the conversation is too large"
UNREADABLE: Final = "it cannot be read"
NOT_HERE: Final = "only a user's message can hold it"
TOO_MANY: Final = "a request holds only so many"
_NAME_LENGTH: Final = 100


def left_out(kind: str, file: Any, reason: str) -> str:
    """Name a file that is not sent, and say why."""
    name = file.get("name") if isinstance(file, dict) else None
    named = f' "{name[:_NAME_LENGTH]}"' if isinstance(name, str) and name.isascii() and not is_blank(name) else ""
    return f"({kind.capitalize()}{named} left out: {reason}.)"
