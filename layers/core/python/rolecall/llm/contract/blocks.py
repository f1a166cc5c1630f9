"""Each content block by itself: text that is text, results that are legal, reasoning that is signed."""

from collections.abc import Iterator, Mapping
from typing import Any, Final

from rolecall.llm.contract.violation import Violation, walk, walk_results
from rolecall.llm.text import is_blank

_KINDS: Final = frozenset(
    {
        "text",
        "image",
        "document",
        "video",
        "audio",
        "toolUse",
        "toolResult",
        "guardContent",
        "cachePoint",
        "reasoningContent",
        "citationsContent",
        "searchResult",
    }
)


def check(request: Mapping[str, Any]) -> Iterator[Violation]:
    """Yield what is wrong inside blocks, the system's included."""
    for i, block in enumerate(request.get("system") or []):
        yield from _text(f"system.{i}", "SystemContentBlock", block)
    for path, owner, block in walk(request):
        if len(block.keys() & _KINDS) != 1:
            yield Violation(path, "one_kind", f"The ContentBlock object at {path} must set exactly one field.")
        yield from _text(path, "ContentBlock", block)
        if "toolResult" in block:
            yield from _result(f"{path}.toolResult", block["toolResult"])
        if "reasoningContent" in block:
            yield from _reasoning(f"{path}.reasoningContent", owner.get("role"), block["reasoningContent"])
    for path, part in walk_results(request):
        yield from _text(path, "ContentBlock", part)
        if "json" in part and not isinstance(part["json"], dict):
            message = (
                f"The format of the value at {path}.json is invalid. Provide a json object for the field and try again."
            )
            yield Violation(f"{path}.json", "json_object", message)


def _text(path: str, kind: str, block: Mapping[str, Any]) -> Iterator[Violation]:
    text = block.get("text")
    if text is None:
        return
    if not isinstance(text, str) or is_blank(text):
        message = f"The text field in the {kind} object at {path} is blank. Add text to the text field, and try again."
        yield Violation(f"{path}.text", "blank_text", message)


def _result(path: str, result: Mapping[str, Any]) -> Iterator[Violation]:
    if not result.get("content"):
        message = f"The content field in the ToolResultBlock object at {path} is empty. Add content and try again."
        yield Violation(f"{path}.content", "empty_result", message)
    if result.get("status", "success") not in ("success", "error"):
        message = f"The value at {path}.status failed to satisfy constraint: Member must satisfy enum value set: "
        yield Violation(f"{path}.status", "result_status", message + "[success, error]")


def _reasoning(path: str, role: object, block: Mapping[str, Any]) -> Iterator[Violation]:
    if role != "assistant":
        message = f"The reasoningContent block at {path} is only allowed in an assistant message."
        yield Violation(path, "reasoning_role", message)
    if "redactedContent" in block:
        return
    reasoning = block.get("reasoningText", {})
    if not reasoning.get("signature"):
        message = f"{path}.reasoningText.signature: Field required"
        yield Violation(f"{path}.reasoningText.signature", "reasoning_signature", message)
