"""A job description without weights: the wish's own words put in order, and blanks where it says nothing."""

import json
from typing import Any, Final

from local.bedrock.answer import CallTool
from local.bedrock.offline.situation import Situation

_FIELDS: Final = frozenset({"title", "summary", "responsibilities", "requirements", "nice_to_have", "benefits"})
_MOST: Final = 8
_SITES: Final = {"REMOTE": "remote", "HYBRID": "partly on site", "ONSITE": "on site"}
_TYPES: Final = {
    "FREELANCE_GIG": "freelance",
    "DIRECT_HIRE": "employment",
    "TRIAL_AND_HIRE": "employment after a trial",
}


def draft(situation: Situation) -> CallTool | None:
    """Answer a request for a job description; None when that is not what is asked for."""
    if len(situation.tools) != 1 or situation.done:
        return None
    properties = situation.tools[0].get("inputSchema", {}).get("json", {}).get("properties", {})
    asked = _read(situation.typed)
    if properties.keys() != _FIELDS or asked is None:
        return None
    return CallTool(situation.tools[0]["name"], _description(asked["wish"], asked.get("company") or {}))


def _read(text: str) -> dict[str, Any] | None:
    try:
        asked = json.loads(text)
    except (ValueError, RecursionError):
        return None
    wish = asked.get("wish") if isinstance(asked, dict) else None
    return asked if isinstance(wish, dict) and wish.get("title") else None


def _description(wish: dict[str, Any], company: dict[str, Any]) -> dict[str, Any]:
    skills = [str(skill) for skill in wish.get("skills") or []]
    level = [f"Experience at the level {wish['seniority_level']}"] if wish.get("seniority_level") else []
    more = [line.strip() for line in str(wish.get("additional_requirements") or "").split("\n") if line.strip()]
    needs = [*level, *(f"Knowledge of {skill}" for skill in skills), *(line[:500] for line in more)]
    return {
        "title": wish["title"],
        "summary": _summary(wish, company),
        "responsibilities": _filled([f"Work with {skill}" for skill in skills], 5, "a task of this job"),
        "requirements": _filled(needs, 5, "a requirement of this job"),
        "nice_to_have": _filled(needs[_MOST : _MOST + 5], 3, "something that is welcome"),
        "benefits": _filled([], 4, "a benefit that the company offers"),
    }


def _summary(wish: dict[str, Any], company: dict[str, Any]) -> str:
    facts = [
        f"{wish['title']} at {company['name']}." if company.get("name") else f"{wish['title']}.",
        str(company.get("description") or "").strip(),
        f"Industry: {company['industry']}." if company.get("industry") else "",
        f"Location: {wish['location']}." if wish.get("location") else "",
        f"Work is done {_SITES[wish['work_site']]}." if wish.get("work_site") in _SITES else "",
        f"Contract: {_TYPES[wish['job_type']]}." if wish.get("job_type") in _TYPES else "",
        "(Drafted by the offline model out of what it was given; what it was not given is left to fill in.)",
    ]
    return " ".join(fact for fact in facts if fact)[:3000]


def _filled(found: list[str], least: int, what: str) -> list[str]:
    kept = found[:_MOST]
    return [*kept, *(f"(to fill in: {what})" for _ in range(least - len(kept)))]
