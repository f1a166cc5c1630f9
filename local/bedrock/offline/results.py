"""What tools returned, in sentences that quote it."""

import re
from typing import Any, Final

from local.bedrock.offline.situation import Done
from local.bedrock.offline.values import UUID
from local.bedrock.offline.words import content, human, stem

_MAX_ITEMS: Final = 8
_MAX_FACTS: Final = 14
_MAX_TEXT: Final = 600
_NAMES: Final = ("name", "title", "full_name", "filename", "subject", "label", "candidate_name", "job_title")
_CHANGED: Final = ("updated_fields", "changed_fields", "changed", "updated")


def account(done: list[Done], question: str) -> str:
    """Say what each call of the turn returned, in order."""
    return "\n\n".join(_one(call, question) for call in done)


def _one(call: Done, question: str) -> str:
    tool = human(call.name)
    if not call.ok:
        return f"The tool “{tool}” failed: {_sentence(_reason(call.value))}"
    if isinstance(call.value, dict) and (changed := _changed(call)):
        return changed
    if isinstance(call.value, dict) and call.name.lower().endswith("_me"):
        return _about_you(call.value, question)
    return _told(tool, call.value)


def _reason(value: Any) -> str:
    if isinstance(value, dict):
        for key in ("error", "message", "reason", "detail"):
            if isinstance(value.get(key), str):
                return str(value[key])
    return _text(value)


def _changed(call: Done) -> str | None:
    fields = next((call.value[key] for key in _CHANGED if isinstance(call.value.get(key), list)), None)
    if fields is None:
        return None
    if not fields:
        return "Nothing was changed."
    changes = [
        f"{human(str(name))} to “{_text(call.input[name])}”" if name in call.input else human(str(name))
        for name in fields
    ]
    whose = "your " if "my" in call.name.lower().split("_") else ""
    return f"Done: I changed {_and([whose + change for change in changes])}."


def _about_you(value: dict[str, Any], question: str) -> str:
    facts = _facts(value)
    wanted = content(question)
    asked = [(key, fact) for key, fact in facts if {stem(word) for word in human(key).split()} & wanted]
    if asked:
        return _sentence(_and([f"Your {human(key)} is {fact}" for key, fact in asked]))
    rest = dict(facts)
    name, email, title = (rest.pop(key, None) for key in ("name", "email", "title"))
    company, role = rest.pop("company_name", None), rest.pop("role_in_company", None)
    sentences = [f"You are {name or email or 'not named'}{f' ({email})' if name and email else ''}."]
    if title:
        sentences.append(f"Your title is {title}.")
    if company:
        sentences.append(f"You act for {company}{f' as {role}' if role else ''}.")
    if rest:
        listed = "; ".join(f"{human(key)}: {fact}" for key, fact in rest.items())
        sentences.append(f"{listed[:1].upper()}{listed[1:]}.")
    return " ".join(sentences)


def _told(tool: str, value: Any) -> str:
    if isinstance(value, dict):
        lines = [f"{human(key)}: {fact}" for key, fact in _facts(value)]
        lists = [(key, item) for key, item in value.items() if isinstance(item, list)]
        parts = [f"The tool “{tool}” returned:" if lines or lists else f"The tool “{tool}” returned nothing."]
        parts += [f"- {line}" for line in lines]
        parts += [_listed(human(key), item) for key, item in lists]
        return "\n".join(parts)
    if isinstance(value, list):
        return _listed(f"The tool “{tool}” returned", value)
    return f"The tool “{tool}” returned: “{_text(value)}”"


def _listed(label: str, items: list[Any]) -> str:
    if not items:
        return f"{label}: none."
    lines = [f"{label} ({len(items)}):"]
    lines += [f"- {_record(item)}" for item in items[:_MAX_ITEMS]]
    if len(items) > _MAX_ITEMS:
        lines.append(f"- and {len(items) - _MAX_ITEMS} more")
    return "\n".join(lines)


def _record(item: Any) -> str:
    if not isinstance(item, dict):
        return _text(item)
    facts = dict(_facts(item))
    head = next((facts.pop(key) for key in _NAMES if key in facts), "")
    rest = ", ".join(f"{human(key)}: {fact}" for key, fact in facts.items())
    return f"{head}: {rest}" if head and rest else head or rest or "(empty)"


def _facts(value: dict[str, Any], depth: int = 0) -> list[tuple[str, str]]:
    facts: list[tuple[str, str]] = []
    for key, item in value.items():
        if isinstance(item, dict) and depth < 2:
            facts += [(f"{key}_{inner}", fact) for inner, fact in _facts(item, depth + 1)]
        elif isinstance(item, list) and item and not any(isinstance(one, dict | list) for one in item):
            if depth or len(item) <= _MAX_ITEMS:
                facts.append((key, ", ".join(_text(one) for one in item)))
        elif not (item is None or item is False or isinstance(item, dict | list) or _is_id(key, item)):
            facts.append((key, _text(item)))
    return facts[:_MAX_FACTS]


def _is_id(key: str, item: Any) -> bool:
    return key.endswith(("_id", "_ids")) or (isinstance(item, str) and UUID.fullmatch(item) is not None)


def _text(value: Any) -> str:
    if value is True:
        return "yes"
    text = value if isinstance(value, str) else str(value)
    text = re.sub(r"\s+", " ", text).strip()
    return f"{text[:_MAX_TEXT]}…" if len(text) > _MAX_TEXT else text


def _sentence(text: str) -> str:
    return text if text.endswith((".", "!", "?", "…")) else f"{text}."


def _and(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
