"""The shape of a wanted value: what a model is told of it, and how its answer is read."""

import json
import re
from dataclasses import dataclass
from typing import Any, Final, Generic, Literal, TypeVar

from pydantic import BaseModel, TypeAdapter, ValidationError

from rolecall.llm.capabilities import capabilities
from rolecall.llm.specs import ModelSpec
from rolecall.llm.stream import Finished
from rolecall.llm.text import is_blank
from rolecall.llm.types import ContentBlock, Message

T = TypeVar("T")

TOOL: Final = "give_answer"
VALUE: Final = "value"
"""Where a value stands that is no object of its own."""
_JSON_MODE: Final = frozenset({"openai", "ollama", "vllm"})
"""Providers that speak Chat Completions, which can hold an answer to JSON."""
_FENCED: Final = re.compile(r"```(?:json)?\s*(.*?)```", re.DOTALL)
_MOST_PROBLEMS: Final = 10

Way = Literal["tool", "json", "prompt"]


class Mismatch(Exception):
    """The answer is not of the shape; the text tells the model why, in words about its own answer."""


def way_for(spec: ModelSpec) -> Way:
    """Choose how a model is asked: the surest of what it can do."""
    if capabilities(spec.model).tools:
        return "tool"
    return "json" if spec.provider in _JSON_MODE else "prompt"


class Shape(Generic[T]):
    """A type that a value shall have."""

    def __init__(self, shape: type[T]) -> None:
        self._adapter: TypeAdapter[T] = TypeAdapter(shape)
        self._whole = isinstance(shape, type) and issubclass(shape, BaseModel)
        own = self._adapter.json_schema()
        definitions = own.pop("$defs", None) if not self._whole else None
        wrapped = {"type": "object", "properties": {VALUE: own}, "required": [VALUE]}
        if definitions:
            wrapped["$defs"] = definitions
        self.schema: dict[str, Any] = own if self._whole else wrapped

    def read(self, answer: Any) -> T:
        """Make the value of an answer's object.

        Raises:
            Mismatch: it is of another shape.
        """
        if not self._whole:
            if not isinstance(answer, dict) or VALUE not in answer:
                raise Mismatch(f"The object has no field {VALUE!r}.")
            answer = answer[VALUE]
        try:
            return self._adapter.validate_python(answer)
        except ValidationError as error:
            raise Mismatch(_explained(error)) from error


@dataclass(frozen=True, slots=True)
class Ask:
    """One way of asking for an object of a schema."""

    way: Way
    schema: dict[str, Any]

    @property
    def instructions(self) -> str | None:
        """What the system prompt says of the form."""
        if self.way == "tool":
            return f"Give your answer by calling {TOOL}, once."
        schema = json.dumps(self.schema, ensure_ascii=False)
        return f"Answer with one JSON object and nothing else. It has to fit this JSON Schema:\n{schema}"

    @property
    def fields(self) -> dict[str, Any]:
        """What the request holds of it."""
        if self.way == "json":
            return {"additionalModelRequestFields": {"response_format": {"type": "json_object"}}}
        if self.way == "prompt":
            return {}
        spec = {"name": TOOL, "description": "Gives the answer.", "inputSchema": {"json": self.schema}}
        return {"toolConfig": {"tools": [{"toolSpec": spec}], "toolChoice": {"tool": {"name": TOOL}}}}

    def answer_in(self, finished: Finished) -> Any:
        """Find the object in an answer; one that was said in words counts as well.

        Raises:
            Mismatch: there is none.
        """
        calls = [block["toolUse"] for block in finished.content if "toolUse" in block]
        if calls and finished.stop_reason != "max_tokens":
            return calls[0]["input"]
        text = "".join(block["text"] for block in finished.content if "text" in block)
        if not calls and (found := _object_in(text)) is not None:
            return found
        if finished.stop_reason == "max_tokens":
            raise Mismatch("The answer was too long and was cut off. Give a shorter one.")
        raise Mismatch("There is no JSON object in the answer.")

    def objection(self, finished: Finished, why: str) -> list[Message]:
        """Return the answer and what is wrong with it, for the next request."""
        told = f"That does not fit: {why} Give the whole answer again, corrected."
        calls = [block["toolUse"] for block in finished.content if "toolUse" in block]
        said: list[ContentBlock] = [
            block for block in finished.content if "toolUse" in block or not is_blank(block.get("text", ""))
        ]
        results: list[ContentBlock] = [
            {"toolResult": {"toolUseId": call["toolUseId"], "content": [{"text": told}], "status": "error"}}
            for call in calls
        ]
        return [
            {"role": "assistant", "content": said or [{"text": "(no answer)"}]},
            {"role": "user", "content": results or [{"text": told}]},
        ]


def _object_in(text: str) -> Any:
    for candidate in (text, *_FENCED.findall(text), text[text.find("{") : text.rfind("}") + 1]):
        try:
            found = json.loads(candidate)
        except (ValueError, RecursionError):
            continue
        if isinstance(found, dict):
            return found
    return None


def _explained(error: ValidationError) -> str:
    problems = error.errors(include_url=False, include_input=False, include_context=False)
    told = [f"{'.'.join(map(str, problem['loc'])) or VALUE}: {problem['msg']}." for problem in problems]
    return " ".join(told[:_MOST_PROBLEMS])
