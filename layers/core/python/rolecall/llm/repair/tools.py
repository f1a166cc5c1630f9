"""Names of tools, and the tool list that history asks for."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from rolecall.llm.repair import caching
from rolecall.llm.repair.blocks import Message
from rolecall.llm.text import is_blank
from rolecall.llm.tool_results import legal_tool_name
from rolecall.llm.types import Tool


def named(messages: Sequence[Message]) -> list[Message]:
    """Give every call a legal tool name; one name always becomes the same."""
    return [
        {**message, "content": [_named(block) if "toolUse" in block else block for block in message["content"]]}
        for message in messages
    ]


def _named(block: Mapping[str, Any]) -> Mapping[str, Any]:
    use = block["toolUse"]
    name = legal_tool_name(use["name"])
    return block if name == use["name"] else {"toolUse": {**use, "name": name}}


def declared(body: dict[str, Any]) -> dict[str, Any]:
    """Make the tool list legal; where history holds calls and there is none, declare their tools as retired."""
    config = body.pop("toolConfig", None)
    tools: list[Mapping[str, Any]] = list(_distinct(_legal(tool) for tool in config["tools"])) if config else []
    if not any("toolSpec" in tool for tool in tools):
        tools = [retired(name) for name in _called(body["messages"])]
    if not tools:
        return body
    body["toolConfig"] = {"tools": caching.placed(tools)}
    if config and (choice := _choice(config.get("toolChoice"), tools)):
        body["toolConfig"]["toolChoice"] = choice
    return body


def retired(name: str) -> Tool:
    """Declare a tool that history names and that is offered no more."""
    return {
        "toolSpec": {
            "name": name,
            "description": "No longer available; do not call it.",
            "inputSchema": {"json": {"type": "object", "properties": {}}},
        }
    }


def _called(messages: Iterable[Message]) -> list[str]:
    blocks = (block for message in messages for block in message["content"])
    return list(dict.fromkeys(block["toolUse"]["name"] for block in blocks if "toolUse" in block))


def _legal(tool: Mapping[str, Any]) -> Mapping[str, Any]:
    if "toolSpec" not in tool:
        return tool
    spec = dict(tool["toolSpec"])
    spec["name"] = legal_tool_name(spec["name"])
    if is_blank(spec.get("description", "x")):
        del spec["description"]
    schema = spec["inputSchema"]["json"]
    if not isinstance(schema, dict) or schema.get("type") != "object":
        known = schema if isinstance(schema, dict) else {}
        spec["inputSchema"] = {"json": {**known, "type": "object"}}
    return tool if spec == tool["toolSpec"] else {"toolSpec": spec}


def _distinct(tools: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    seen: set[str] = set()
    for tool in tools:
        name = tool.get("toolSpec", {}).get("name")
        if name is None or name not in seen:
            yield tool
        if name is not None:
            seen.add(name)


def _choice(choice: Mapping[str, Any] | None, tools: Sequence[Mapping[str, Any]]) -> Mapping[str, Any] | None:
    if not choice or "tool" not in choice:
        return choice
    name = legal_tool_name(choice["tool"]["name"])
    declared_here = any(tool.get("toolSpec", {}).get("name") == name for tool in tools)
    return {"tool": {"name": name}} if declared_here else None
