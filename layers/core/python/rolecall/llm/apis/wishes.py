"""A Converse request's tools and settings, as pydantic-ai names them."""

from typing import Any, Final, cast

from pydantic_ai.models import ModelRequestParameters
from pydantic_ai.settings import ModelSettings
from pydantic_ai.tools import ToolDefinition

from rolecall.llm.apis.house import House
from rolecall.llm.types import ConverseRequest

_INFERENCE: Final = {
    "maxTokens": "max_tokens",
    "temperature": "temperature",
    "topP": "top_p",
    "stopSequences": "stop_sequences",
}


def tools_of(request: ConverseRequest) -> ModelRequestParameters:
    """The tools that the request offers; arguments are not made strict, since optional ones would be lost."""
    offered = [entry["toolSpec"] for entry in _tools(request) if "toolSpec" in entry]
    return ModelRequestParameters(
        function_tools=[
            ToolDefinition(
                name=spec["name"],
                description=spec["description"],
                parameters_json_schema=spec["inputSchema"]["json"],
                strict=False,
            )
            for spec in offered
        ]
    )


def settings_of(request: ConverseRequest, house: House, model: str) -> ModelSettings:
    """How the answer is drawn; the SDKs' own retries are off, since ours know what was yielded."""
    inference = cast("dict[str, Any]", request.get("inferenceConfig", {}))
    settings: dict[str, Any] = {ours: inference[theirs] for theirs, ours in _INFERENCE.items() if theirs in inference}
    settings["max_retries"] = 0
    if house.fixed_sampling(model):
        settings.pop("temperature", None)
        settings.pop("top_p", None)
    if (choice := _choice(request)) is not None:
        settings["tool_choice"] = choice
    if thinking := request.get("additionalModelRequestFields", {}).get("thinking"):
        settings |= house.thinking(thinking)
    if form := request.get("additionalModelRequestFields", {}).get("response_format"):
        settings["extra_body"] = {"response_format": form}
    if house.caches:
        settings |= _caching(request, house)
    return cast("ModelSettings", settings)


def _tools(request: ConverseRequest) -> list[Any]:
    return request["toolConfig"]["tools"] if "toolConfig" in request else []


def _choice(request: ConverseRequest) -> str | list[str] | None:
    choice = request["toolConfig"].get("toolChoice", {}) if "toolConfig" in request else {}
    if "tool" in choice:
        return [choice["tool"]["name"]]
    return "required" if "any" in choice else None


def _caching(request: ConverseRequest, house: House) -> dict[str, Any]:
    settings = {}
    if any("cachePoint" in block for block in request.get("system", [])):
        settings[f"{house.name}_cache_instructions"] = True
    if any("cachePoint" in entry for entry in _tools(request)):
        settings[f"{house.name}_cache_tool_definitions"] = True
    return settings
