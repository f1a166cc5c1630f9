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
    "get": "show list view get find search display give see look fetch read check tell return browse run execute",
    "send": "send contact message write email post",
    "move": "move advance shortlist promote transition",
    "decide": "reject approve withdraw decline accept",
    "extract": "extract parse",
    "copy": "duplicate copy clone",
    "generate": "generate draft compose produce",
    "analyze": "analyze analyse assess evaluate review",
    "compare": "compare contrast",
    "recommend": "recommend suggest match",
    "schedule": "schedule book plan arrange cancel",
    "save": "save remember store note",
}
VERBS: Final = {word: name for name, words in _CLASSES.items() for word in words.split()}
WRITING: Final = frozenset({"update", "create", "remove", "send", "move", "decide", "copy", "schedule", "save"})
"""Classes of verbs that change something."""

_AFTER_GIVING: Final = _set("show tell give let send get find bring help list remind make read ")
_BEFORE_ORDER: Final = _set("please to and you then also just now kindly can should i'd like let's us")
_BEFORE_I: Final = _set("did have do had was am who")
_SELF: Final = _set("me my mine myself ")
QUESTION: Final = _set("who what when where which whose why how is are do does did can could ")


def raw_words(text: str) -> list[str]:
    """Return the words of a text, lower case; underscores and dashes part them."""
    return [word.lower() for word in re.findall(r"[^\W_]+(?:['\u2019][^\W_]+)?", text)]


def verb_class(word: str) -> str | None:
    """Return the class of a verb such as `update` for "set"; None for other words."""
    return VERBS.get(word)


def stem(word: str) -> str:
    """Cut an English word's endings, roughly; only equality of stems means anything."""
    if len(word) > 4 and word.endswith("ies"):
        word = word[:-3] + "y"
    elif len(word) > 4 and word.endswith(("ses", "xes", "ches", "shes")):
        word = word[:-2]
    elif len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        word = word[:-1]
    for ending in ("ing", "ed", "ly"):
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
        before = words[i - 1] if i else ""
        if word in _SELF or (word == "i" and before in _BEFORE_I):
            found |= {"~self"} if word != "me" or before not in _AFTER_GIVING else set()
        elif (verb := verb_class(word)) is not None:
            found |= {f"~{verb}", stem(word)}
        elif word not in GLUE:
            found.add(stem(word))
    return found | pairs(words)


def pairs(words: list[str]) -> set[str]:
    """Return neighbouring words that mean something together, such as "who am", in either order."""
    return {
        " ".join(sorted((left, right)))
        for left, right in pairwise(words)
        if left not in _ARTICLES and right not in _ARTICLES
    }


def ordered(clause: str) -> set[str]:
    """Return the classes of the verbs that stand where an order has its verb: first, or after "please" or "to"."""
    words = raw_words(clause)
    verbs = ((verb_class(word), words[i - 1] if i else None) for i, word in enumerate(words))
    return {verb for verb, before in verbs if verb is not None and (before is None or before in _BEFORE_ORDER)}


def name_terms(name: str) -> set[str]:
    """Return the terms of a tool's name; "me" in `get_me` is the user, whatever verb precedes it."""
    words = raw_words(name)
    return terms(name) | ({"~self"} if not _SELF.isdisjoint(words) else set())


def content(text: str) -> set[str]:
    """Return the stems of the words that carry meaning, without verbs' classes and pairs."""
    return {stem(word) for word in raw_words(text) if word not in GLUE and word not in _SELF}


def human(name: str) -> str:
    """Write an identifier such as `first_name` as words."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", " ", name).replace("_", " ").replace("-", " ")
    return spaced.strip().lower() or name
