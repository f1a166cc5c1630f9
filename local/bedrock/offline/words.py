"""Words as the offline model compares them: lower case, lightly stemmed, verbs of one meaning made one."""

import re
from itertools import pairwise
from typing import Final


def _set(words: str) -> frozenset[str]:
    return frozenset(words.split())


GLUE: Final = _set(
    "a an and any are as at be been by can could did do does for from had has have how i if in into is it "
    "its just of on or our please so than that the their them then there these they this those to us was "
    "we were what when where which who whom whose why will with would you your about all also am not no "
)
"""Words that say nothing about what is asked."""

_ARTICLES: Final = _set("a an and as at by for from in is it of on or the this that to with are be ")

_CLASSES: Final = {
    "update": "set change update edit modify correct rename adjust alter replace fix put",
    "create": "create add register make open insert new",
    "remove": "remove delete drop erase discard",
    "get": "show list view get find search display give see look fetch read check tell return browse",
    "send": "send contact message write email post",
    "move": "move advance shortlist promote reject approve withdraw transition",
    "copy": "duplicate copy clone",
    "generate": "generate draft compose produce",
    "analyze": "analyze analyse assess evaluate review",
    "compare": "compare contrast",
    "recommend": "recommend suggest match",
    "schedule": "schedule book plan arrange cancel",
    "save": "save remember store note",
}
_VERBS: Final = {word: name for name, words in _CLASSES.items() for word in words.split()}
WRITING: Final = frozenset({"update", "create", "remove", "send", "move", "copy", "schedule", "save"})
"""Classes of verbs that change something."""

_AFTER_GIVING: Final = _set("show tell give let send get find bring help list remind make read ")
_SELF: Final = _set("me my mine myself ")
QUESTION: Final = _set("who what when where which whose why how is are do does did can could ")


def raw_words(text: str) -> list[str]:
    """Return the words of a text, lower case; underscores and dashes part them."""
    return [word.lower() for word in re.findall(r"[^\W_]+(?:['\u2019][^\W_]+)?", text)]


def verb_class(word: str) -> str | None:
    """Return the class of a verb such as `update` for "set"; None for other words."""
    return _VERBS.get(word)


def stem(word: str) -> str:
    """Cut an English word's endings, roughly; only equality of stems means anything."""
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("ses", "xes", "ches", "shes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed"):
        if len(word) > len(ending) + 3 and word.endswith(ending):
            word = word[: -len(ending)]
            break
    if len(word) > 3 and word[-1] == word[-2] and word[-1] not in "ls":
        word = word[:-1]
    return word.removesuffix("e") if len(word) > 3 else word


def terms(text: str) -> set[str]:
    """Return what a text is about: stems, verb classes (`~update`), `~self` for "my", and pairs of words."""
    words = raw_words(text)
    found: set[str] = set()
    for i, word in enumerate(words):
        if word in _SELF and not (word == "me" and i and words[i - 1] in _AFTER_GIVING):
            found.add("~self")
        elif (verb := verb_class(word)) is not None:
            found |= {f"~{verb}", stem(word)}
        elif word not in GLUE:
            found.add(stem(word))
    return found | pairs(words)


def pairs(words: list[str]) -> set[str]:
    """Return neighbouring words that mean something together, such as "who am"."""
    return {f"{left} {right}" for left, right in pairwise(words) if left not in _ARTICLES and right not in _ARTICLES}


def content(text: str) -> set[str]:
    """Return the stems of the words that carry meaning, without verbs' classes and pairs."""
    return {stem(word) for word in raw_words(text) if word not in GLUE and word not in _SELF}


def human(name: str) -> str:
    """Write an identifier such as `first_name` as words."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ")
    return spaced.strip().lower() or name
