"""The Converse request of a hop."""

from typing import Final

from rolecall.conversations import history, prompts
from rolecall.identity import Caller
from rolecall.llm.caching import with_cache_points
from rolecall.llm.capabilities import capabilities, with_thinking
from rolecall.llm.repair.tools import retired
from rolecall.llm.types import ContentBlock, ConverseRequest, ToolConfig
from rolecall.llm.types import Message as WireMessage
from rolecall.turns import workflow
from rolecall.turns.clipping import Clip, clipped
from rolecall.turns.material import Material

ANSWER_SHARE: Final = 4
"""An answer takes a quarter of the window at most."""


def build_request(caller: Caller, material: Material, hop: int, clip: Clip | None = None) -> ConverseRequest:
    """Build the Converse request of a hop: stable layers, history, this turn's preamble and words, its rounds.

    Outputs of tools are cut as `clip` says.
    """
    clip = clip or Clip()
    setting = material.setting
    layers = prompts.system_layers(
        caller.mode,
        soul=setting.agent.system_prompt,
        task_prompt=setting.task.system_prompt if setting.task else None,
    )
    page = material.user_row.page_context or {}
    surroundings = {prompts.SUMMARY: material.summary, **workflow.blocks(setting, material.turn_row, hop)}
    preamble = prompts.with_blocks(page.get("preamble"), surroundings)
    context = (material.user_row.rag_context or {}).get("block")
    before: list[ContentBlock] = [{"text": text} for text in (preamble, context) if text]
    said: WireMessage = {"role": "user", "content": [*before, *history.said_in(material.user_row)]}
    thinking = setting.thinking_budget > 0 and capabilities(setting.spec.model).thinking != "none"
    rounds = history.turn_messages(material.turn_row, reasoner=str(setting.spec) if thinking else None)
    rounds = clipped(rounds, clip.now)
    if hop >= setting.last_hop:
        (rounds[-1] if rounds else said)["content"].append({"text": prompts.LAST_HOP_NOTE})
    max_tokens = min(setting.max_tokens, setting.context_tokens // ANSWER_SHARE)
    request: ConverseRequest = {
        "system": [{"text": "\n\n".join(layers)}],
        "messages": history.joined([*clipped(material.past, clip.past), said, *rounds]),
        "inferenceConfig": {"maxTokens": max_tokens, "temperature": setting.temperature},
    }
    if config := _tool_config(material):
        request["toolConfig"] = config
    request = with_cache_points(request, setting.spec.model, past=len(material.past))
    return with_thinking(request, setting.spec.model, budget=setting.thinking_budget)


def _tool_config(material: Material) -> ToolConfig | None:
    """The offered tools; where history holds calls, they stay declared though the tool is offered no more."""
    specs = [tool.converse() for tool in material.offered]
    messages = [*material.past, *history.turn_messages(material.turn_row)]
    used = {block["toolUse"]["name"] for message in messages for block in message["content"] if "toolUse" in block}
    specs += [retired(name) for name in sorted(used - {tool.function_name for tool in material.offered})]
    return {"tools": specs} if specs else None
