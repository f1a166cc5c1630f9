"""Each content block by itself: text that is text, results that are legal."""

from collections.abc import Iterator, Mapping
from typing import Any

from rolecall.llm.contract.reading import Reading
from rolecall.llm.contract.violation import Violation
from rolecall.llm.text import is_blank


def check(reading: Reading) -> Iterator[Violation]:
    """Yield what is wrong inside blocks, the system's included."""
    for i, block in enumerate(reading.request.get("system") or []):
        yield from _text(f"system.{i}", "SystemContentBlock", block)
    for path, _, block in reading.blocks:
        yield from _text(path, "ContentBlock", block)
        if "toolResult" in block:
            yield from _result(f"{path}.toolResult", block["toolResult"])
    for path, part in reading.parts:
        yield from _text(path, "ContentBlock", part)
        if "json" in part and not isinstance(part["json"], dict):
            message = (
                f"The format of the value at {path}.json is invalid. Provide a json object for the field and try again."
            )
            yield Violation(f"{path}.json", "json_object", message)


def _text(path: str, kind: str, block: Mapping[str, Any]) -> Iterator[Violation]:
    if "text" in block and is_blank(block["text"]):
        message = f"The text field in the {kind} object at {path} is blank. Add text to the text field, and try again."
        yield Violation(f"{path}.text", "blank_text", message)


def _result(path: str, result: Mapping[str, Any]) -> Iterator[Violation]:
    if not result.get("content"):
        message = f"The content field in the ToolResultBlock object at {path} is empty. Add content and try again."
        yield Violation(f"{path}.content", "empty_result", message)
    if result.get("status", "success") not in ("success", "error"):
        message = f"The value at {path}.status failed to satisfy constraint: Member must satisfy enum value set: "
        yield Violation(f"{path}.status", "result_status", message + "[success, error]")
