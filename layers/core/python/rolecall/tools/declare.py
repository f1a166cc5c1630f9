"""Declaring a tool: one decorator over its handler says all there is to know about it."""

import inspect
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict

from rolecall.agents.models import ToolType

Handler = Callable[[Any, Any], dict[str, Any]]
"""Gets a `ToolContext`, or a `ThinkingContext` where the tool thinks, and its arguments."""
Category = Literal["data", "recruitment", "scheduling", "ai_pipeline", "cv_operations", "insights", "self"]

ARGUMENTS_CONFIG: Final = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Arguments(BaseModel):
    """Base of a tool's arguments: unknown names are refused, so that the model corrects them."""

    model_config = ARGUMENTS_CONFIG


class NoArguments(Arguments):
    """For tools that take nothing."""

    model_config = ConfigDict(extra="ignore")


@dataclass(frozen=True, kw_only=True)
class Tool:
    """A declared tool. `description` is the handler's docstring: it is written for the model."""

    code: str
    tool_type: ToolType
    name: str
    description: str
    search_queries: str
    category: Category
    arguments: type[Arguments]
    handler: Handler
    always_include: bool = False
    requires_approval: bool = False
    requires_write: bool = False
    requires_corpus: bool = False
    thinks: bool = False
    """It asks a model: its handler gets a `ThinkingContext`, and no transaction is open while the model thinks."""
    runs_in: Literal["brain", "worker"] = "brain"

    def schema(self) -> dict[str, Any]:
        """JSON Schema of the arguments, as the model gets it."""
        return plain_schema(self.arguments)


def tool(
    *,
    type: ToolType,
    name: str,
    search_queries: str,
    category: Category,
    arguments: type[Arguments] = NoArguments,
    code: str | None = None,
    always_include: bool = False,
    requires_approval: bool = False,
    requires_write: bool = False,
    requires_corpus: bool = False,
    thinks: bool = False,
) -> Callable[[Handler], Tool]:
    """Turn a handler into a `Tool`. The handler's own name is the function name that the model calls.

    Raises:
        ValueError: a tool that thinks would write; what it thought again after a crash it would write again.
    """
    if thinks and requires_write:
        raise ValueError("a tool that thinks writes nothing")

    def declare(handler: Handler) -> Tool:
        return Tool(
            code=code or handler.__name__,
            tool_type=type,
            name=name,
            description=inspect.cleandoc(handler.__doc__ or ""),
            search_queries=search_queries,
            category=category,
            arguments=arguments,
            handler=handler,
            always_include=always_include,
            requires_approval=requires_approval,
            requires_write=requires_write,
            requires_corpus=requires_corpus,
            thinks=thinks,
        )

    return declare


def catalogue(modules: Iterable[object]) -> dict[str, Tool]:
    """Collect the tools that modules declare, by function name; two of one name are refused."""
    found: dict[str, Tool] = {}
    for module in modules:
        for value in vars(module).values():
            if isinstance(value, Tool) and found.setdefault(value.code, value) is not value:
                raise ValueError(f"two tools are called {value.code}")
    return found


def plain_schema(model: type[BaseModel]) -> dict[str, Any]:
    """JSON Schema of a model, as a model of language gets it."""
    return _plain(model.model_json_schema())


def _plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Drop what pydantic adds for people: titles, and the null that only says that a field is optional."""
    plain: dict[str, Any] = {}
    for name, value in schema.items():
        if name == "title" and isinstance(value, str):
            continue
        if name == "anyOf" and {"type": "null"} in value:
            options = [option for option in value if option != {"type": "null"}]
            if len(options) == 1:
                plain |= _plain(options[0])
                continue
        if name == "default" and value is None:
            continue
        if name == "properties":
            plain[name] = {key: _plain(inner) for key, inner in value.items()}
        else:
            plain[name] = _plain(value) if isinstance(value, dict) else value
    return plain
