"""What a tool returned, as a block that Bedrock takes; and names and ids of calls made legal."""

import dataclasses
import hashlib
import json
import math
import re
from collections.abc import Mapping
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum
from itertools import count
from typing import Any, Final
from uuid import UUID

from rolecall.llm.text import is_blank
from rolecall.llm.types import ContentBlock, ToolResultContent

_NOTHING: Final = "(no output)"
_FAILED: Final = "The tool failed without saying why."
_MAX_LENGTH: Final = 64
_DIGEST_LENGTH: Final = 8


def result_block(call_id: str, value: Any, ok: bool) -> ContentBlock:
    """Build the toolResult block for what a tool returned.

    Args:
        call_id: the call's id; made legal the same way as in `legal_call_id`.
        value: anything; only a mapping becomes `json`, everything else becomes text, and never blank text.
        ok: False makes it an error for the model.
    """
    return {
        "toolResult": {
            "toolUseId": legal_call_id(call_id),
            "content": [_content(value, ok)],
            "status": "success" if ok else "error",
        }
    }


def _content(value: Any, ok: bool) -> ToolResultContent:
    plain = json_safe(value)
    if isinstance(plain, dict) and plain:
        return {"json": plain}
    text = plain if isinstance(plain, str) else _as_text(plain)
    return {"text": text} if not is_blank(text) else {"text": _NOTHING if ok else _FAILED}


def _as_text(plain: Any) -> str:
    return "" if plain in (None, {}) else json.dumps(plain, ensure_ascii=False)


def json_safe(value: Any) -> Any:
    """Return the value in JSON's own types: Decimal, date and UUID as strings, NaN as null, bytes as a note."""
    match value:
        case None | bool() | int() | str() if not isinstance(value, Enum):
            return value
        case float():
            return value if math.isfinite(value) else None
        case Enum():
            return json_safe(value.value)
        case Mapping():
            return {str(json_safe(key)): json_safe(item) for key, item in value.items()}
        case list() | tuple() | set() | frozenset():
            return [json_safe(item) for item in value]
        case datetime() | date() | time():
            return value.isoformat()
        case bytes() | bytearray() | memoryview():
            return f"({len(bytes(value))} bytes, not shown)"
        case Decimal() | UUID() | timedelta():
            return str(value)
    return _object(value)


def _object(value: Any) -> Any:
    if hasattr(value, "model_dump"):  # a pydantic model, without importing pydantic here
        return json_safe(value.model_dump())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return json_safe({field.name: getattr(value, field.name) for field in dataclasses.fields(value)})
    return str(value)


def legal_tool_name(name: str) -> str:
    """Return the name itself if Bedrock takes it, else a legal one that is always the same for it."""
    return _legal(name, r"[^A-Za-z0-9_-]", "tool")


def legal_call_id(call_id: str) -> str:
    """Return the id itself if Bedrock takes it, else a legal one; two ids never meet in one."""
    return _legal(call_id, r"[^A-Za-z0-9_.:-]", "call")


def unique_call_id(call_id: str, taken: set[str]) -> str:
    """Return a legal id itself if it is free, else one like it that is."""
    if call_id not in taken:
        return call_id
    return next(unique for n in count(2) if (unique := f"{call_id[:54]}-{n}") not in taken)


def _legal(text: str, illegal: str, empty: str) -> str:
    legal = re.sub(illegal, "_", text)
    if legal == text and 0 < len(text) <= _MAX_LENGTH:
        return text
    digest = hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGEST_LENGTH]
    return f"{(legal or empty)[: _MAX_LENGTH - _DIGEST_LENGTH - 1]}-{digest}"
