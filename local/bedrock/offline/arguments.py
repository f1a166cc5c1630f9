"""Arguments for a tool, filled from a clause by rule; values keep the user's spelling."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from local.bedrock.offline import values
from local.bedrock.offline.picking import schema_of, writes
from local.bedrock.offline.schema import Parameter, parameters

Finder = Callable[[Parameter, str], Any]

_EQUALS: Final = (
    r"\s*(?:\bto\s+be\b|\bto\b|\bas\b|\bis\b|\bare\b|\bshould\s+be\b|\bnamed\b|\bcalled\b|\binto\b|\bwith\b|=|:):?\s*"
)
_EQUALS_NEXT: Final = r"\s*(?:\bto\b|\bas\b|\bis\b|\bshould\s+be\b|=|:)"
_FREE_TEXT: Final = ("message", "content", "note", "body")
_MAX_NAMES: Final = 4
_OWNER: Final = r"(?:my|the|its|his|her|their|a|an)?"


@dataclass(frozen=True)
class Filled:
    """What was found, and which required parameters were not."""

    input: dict[str, Any] = field(default_factory=dict)
    missing: tuple[Parameter, ...] = ()


def fill(tool: dict[str, Any], clause: str) -> Filled:
    """Fill a tool's parameters from a clause."""
    known = parameters(schema_of(tool))
    found: dict[str, Any] = {}
    for parameter in known:
        value = _value(parameter, known, clause, writing=writes(tool))
        if value is not None and value not in ("", []):
            found[parameter.name] = value
    _from_single_quote(known, clause, found)
    _from_whole_name(known, clause, found)
    missing = tuple(p for p in known if p.required and p.name not in found)
    return Filled(found, missing)


def _value(parameter: Parameter, known: list[Parameter], clause: str, *, writing: bool) -> Any:
    if parameter.enum:
        return values.chosen(parameter, clause)
    simple: dict[str, Finder] = {
        "boolean": values.flag,
        "integer": values.number,
        "number": values.number,
        "array": values.several,
        "object": values.literal,
    }
    if parameter.kind in simple:
        return simple[parameter.kind](parameter, clause)
    if _is_id(parameter):
        return values.identifier(parameter, known, clause)
    if (shape := _shape(parameter)) is not None:
        return shape(parameter, clause)
    if parameter.is_called(*_FREE_TEXT) and (told := values.told(parameter, clause)) is not None:
        return told
    named = _named(parameter, known, clause)
    if named is not None:
        return named
    return _by_role(parameter, clause, writing=writing)


def _is_id(parameter: Parameter) -> bool:
    return parameter.format == "uuid" or parameter.name.endswith(("_id", "_uuid"))


def _shape(parameter: Parameter) -> Finder | None:
    """Return the finder of values that have a shape of their own."""
    if parameter.format == "email" or parameter.is_called("email"):
        return values.shaped(values.EMAIL)
    if parameter.format == "uri" or parameter.is_called("url"):
        return _url
    if parameter.format in ("date", "date-time") or parameter.is_called("date"):
        return values.shaped(values.DATE)
    if parameter.is_called("phone", "telephone"):
        return values.shaped(values.PHONE)
    return None


def _url(parameter: Parameter, clause: str) -> str | None:
    urls = values.URL.findall(clause)
    site = parameter.aliases[-1].split()[0] if parameter.aliases else ""
    named = [url for url in urls if site in url.lower()]
    other = [url for url in urls if "linkedin." not in url.lower()]
    mentioned = re.search(rf"\b{re.escape(site)}", clause, re.IGNORECASE)
    fitting = named or (other if mentioned or parameter.required else [])
    return fitting[0] if fitting else None


def _named(parameter: Parameter, known: list[Parameter], clause: str) -> str | None:
    """Return the value of "set my X to Y", "X: Y", "X is Y"; it ends where the next parameter begins."""
    others = [alias for other in known if other.name != parameter.name for alias in other.aliases]
    for alias in parameter.aliases:
        match = re.search(rf"\b{re.escape(alias)}\b{_EQUALS}(.+)", clause, re.IGNORECASE | re.DOTALL)
        if match is None:
            continue
        if values.QUOTED.match(match[1]):
            return values.unquoted(match[1])
        names = "|".join(re.escape(other) for other in sorted(others, key=len, reverse=True))
        joint = rf"(?:\s*[,;]\s*(?:and\s+)?|\s+(?:and|with)\s+)(?:set\s+|change\s+)?{_OWNER}\s*"
        ends = rf"{joint}(?:{names})\b{_EQUALS_NEXT}" if names else r"(?!)"
        return values.unquoted(re.split(ends, match[1], maxsplit=1, flags=re.IGNORECASE)[0])
    return None


def _by_role(parameter: Parameter, clause: str, *, writing: bool) -> str | None:
    """Return a value that the parameter's role suggests, where no words name it."""
    if parameter.is_called("location", "city", "country"):
        return None if writing and not parameter.required else values.place(parameter, clause)
    if parameter.is_called("query", "question", "q", "prompt", "text", "keywords", "request"):
        if (sql := values.sql(clause)) is not None:
            return sql
        return clause.strip() if parameter.required else values.topic(parameter, clause)
    if parameter.required and parameter.is_called("name"):
        return values.person(parameter, clause)
    if parameter.required and parameter.is_called("title", "position", "role"):
        return values.topic(parameter, clause)
    return None


def _from_single_quote(known: list[Parameter], clause: str, found: dict[str, Any]) -> None:
    """Give the only quoted text to the only required text that is still missing."""
    texts = [text for text in values.quoted(clause) if text not in found.values()]
    missing = [p for p in known if p.required and p.name not in found and p.kind == "string"]
    if len(texts) == 1 and len(missing) == 1 and _takes_words(missing[0]):
        found[missing[0].name] = texts[0]


def _from_whole_name(known: list[Parameter], clause: str, found: dict[str, Any]) -> None:
    """Part "my name to Ada Ek" into first and last name, for a tool that takes the two."""
    names = {"first_name", "last_name"}
    if not names <= {p.name for p in known} or names & found.keys():
        return
    match = re.search(rf"\b(?<!first )(?<!last )name{_EQUALS}(\S+(?:[ ]\S+)+)", clause, re.IGNORECASE)
    words = values.unquoted(match[1]).split() if match else []
    if 1 < len(words) <= _MAX_NAMES:
        found |= {"first_name": " ".join(words[:-1]), "last_name": words[-1]}


def _takes_words(parameter: Parameter) -> bool:
    return not (parameter.enum or _is_id(parameter) or _shape(parameter))


def made_up(tool: dict[str, Any], clause: str) -> dict[str, Any]:
    """Return arguments for a tool that must be called: what is found, and the least legal value for the rest."""
    filled = fill(tool, clause)
    return filled.input | {p.name: _least(p.schema, clause) for p in filled.missing}


def _least(schema: dict[str, Any], clause: str, depth: int = 0) -> Any:
    if schema.get("enum"):
        return schema["enum"][0]
    least: dict[str, Any] = {
        "boolean": False,
        "integer": int(schema.get("minimum", 0)),
        "number": schema.get("minimum", 0),
        "array": [],
        "object": {},
    }
    kind = schema.get("type")
    if kind == "object" and depth < 4:
        wanted = [p for p in parameters(schema) if p.required]
        return {p.name: _least(p.schema, clause, depth + 1) for p in wanted}
    return least.get(str(kind), clause.strip()[: schema.get("maxLength", 2000)] or "-")
