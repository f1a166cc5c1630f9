"""What a hop needs, read in one transaction: conversation, agent, history, tools. And the request made of it."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

from psycopg import Connection

from rolecall.agents import store as agents
from rolecall.agents.models import Agent, AgentStatus, TaskConfig
from rolecall.conversations import history, prompts
from rolecall.conversations import store as conversations
from rolecall.conversations.models import Conversation, Message
from rolecall.errors import ErrorCode, TurnFailed
from rolecall.identity import Caller
from rolecall.ids import AgentId, ConversationId, TurnId
from rolecall.llm.capabilities import with_thinking
from rolecall.llm.specs import ModelSpec, parse_spec
from rolecall.llm.types import ContentBlock, ConverseRequest, Tool, ToolConfig
from rolecall.llm.types import Message as WireMessage
from rolecall.protocol.limits import TOOL_ROUNDS
from rolecall.settings import Settings
from rolecall.tools import select
from rolecall.tools import store as tools
from rolecall.tools.models import ENDED, Call, ToolDefinition

LAST_HOP: Final = TOOL_ROUNDS + 1
THINKING_TOKENS: Final = 2_048


@dataclass(frozen=True, slots=True)
class Setting:
    """Who the caller talks to: the conversation, its agent, the task it is linked to, the model of the turn."""

    conversation: Conversation
    agent: Agent
    task: TaskConfig | None
    spec: ModelSpec

    @property
    def temperature(self) -> float:
        """The task's, or the agent's."""
        return self.task.temperature if self.task and self.task.temperature is not None else self.agent.temperature

    @property
    def max_tokens(self) -> int:
        """The task's, or the agent's."""
        return self.task.max_tokens if self.task and self.task.max_tokens else self.agent.max_tokens

    @property
    def rag_enabled(self) -> bool:
        """The task's, or the agent's."""
        return self.task.rag_enabled if self.task and self.task.rag_enabled is not None else self.agent.rag_enabled

    @property
    def rag_top_k(self) -> int:
        """The task's, or the agent's."""
        return self.task.rag_top_k if self.task and self.task.rag_top_k else self.agent.rag_top_k

    @property
    def rag_min_score(self) -> float:
        """The task's, or the agent's."""
        own = self.task.rag_min_score if self.task else None
        return own if own is not None else self.agent.rag_min_score

    @property
    def rag_tags(self) -> list[str] | None:
        """Tags that a task limits the search to."""
        return self.task.rag_document_tags if self.task and self.task.rag_document_tags else None


@dataclass(frozen=True, slots=True)
class Material:
    """Everything a hop works with. `turn_row` holds what earlier hops of the turn left."""

    setting: Setting
    offered: list[ToolDefinition]
    past: list[WireMessage]
    user_row: Message
    turn_row: Message
    calls: list[Call]


def read_setting(
    conn: Connection[Any], caller: Caller, conversation_id: ConversationId, settings: Settings, task_code: str | None
) -> Setting:
    """Read whom the caller talks to.

    Raises:
        TurnFailed: CONVERSATION_NOT_FOUND, CONVERSATION_INACTIVE or AGENT_INACTIVE.
    """
    conversation = conversations.get(conn, conversation_id)
    if conversation is None or conversation.user_id != caller.user_id:
        raise TurnFailed("There is no such conversation.", code=ErrorCode.CONVERSATION_NOT_FOUND)
    if conversation.status != "ACTIVE":
        raise TurnFailed(f"The conversation is {conversation.status.lower()}.", code=ErrorCode.CONVERSATION_INACTIVE)
    agent = agents.get(conn, AgentId(conversation.agent_id))
    if agent is None:
        raise TurnFailed("The conversation's agent is gone.", code=ErrorCode.AGENT_INACTIVE)
    if agent.status != AgentStatus.ACTIVE:
        raise TurnFailed(f"{agent.name} is {agent.status.lower()}.", code=ErrorCode.AGENT_INACTIVE)
    code = task_code or conversation.task_code
    task = agents.task_config(conn, AgentId(agent.id), code) if code else None
    model = (task and task.llm_model) or agent.llm_model or settings.model
    return Setting(conversation, agent, task, parse_spec(model))


def read_material(
    conn: Connection[Any], caller: Caller, setting: Setting, turn_id: TurnId, *, forced: Sequence[str] = ()
) -> Material | None:
    """Read the rest. None: the turn's row is not there, or not its conversation's newest answer."""
    conversation_id = ConversationId(setting.conversation.id)
    rows = conversations.newest_messages(conn, conversation_id, limit=setting.agent.max_context_messages + 2)
    if len(rows) < 2 or rows[-1].id != turn_id:
        return None
    *past, user_row, turn_row = rows
    unanswered = [row.id for row in past if any("success" not in call for call in row.tool_calls)]
    outputs = conversations.tool_outputs(conn, conversation_id, unanswered)
    calls = tools.calls_of(conn, turn_id)
    return Material(
        setting=setting,
        offered=select.offered_tools(conn, caller, setting.agent, setting.task, forced=forced),
        past=history.messages_of(past, outputs),
        user_row=user_row,
        turn_row=replace(turn_row, tool_calls=_with_outputs(turn_row.tool_calls, calls)),
        calls=calls,
    )


def _with_outputs(stored: Sequence[dict[str, Any]], calls: Sequence[Call]) -> list[dict[str, Any]]:
    ended = {call.tool_call_id: call for call in calls if call.status in ENDED}
    return [entry | _outcome(ended[entry["toolCallId"]]) if entry["toolCallId"] in ended else entry for entry in stored]


def _outcome(call: Call) -> dict[str, Any]:
    return {
        "status": call.status,
        "success": call.succeeded,
        "output": call.shown_output,
        "executionTimeMs": call.execution_time_ms,
    }


def build_request(caller: Caller, material: Material, hop: int) -> ConverseRequest:
    """Build the Converse request of a hop: stable layers, history, this turn's preamble and words, its rounds."""
    setting = material.setting
    layers = prompts.system_layers(
        caller.mode,
        soul=setting.agent.system_prompt,
        task_prompt=setting.task.system_prompt if setting.task else None,
    )
    preamble = (material.user_row.page_context or {}).get("preamble")
    context = (material.user_row.rag_context or {}).get("block")
    before: list[ContentBlock] = [{"text": text} for text in (preamble, context) if text]
    said: WireMessage = {"role": "user", "content": [*before, {"text": material.user_row.content}]}
    rounds = history.turn_messages(material.turn_row)
    if hop == LAST_HOP and rounds:
        rounds[-1]["content"].append({"text": prompts.LAST_HOP_NOTE})
    request: ConverseRequest = {
        "system": [{"text": "\n\n".join(layers)}],
        "messages": history.joined([*material.past, said, *rounds]),
        "inferenceConfig": {"maxTokens": setting.max_tokens, "temperature": setting.temperature},
    }
    if config := _tool_config(material):
        request["toolConfig"] = config
    return with_thinking(request, setting.spec.model, budget=THINKING_TOKENS)


def _tool_config(material: Material) -> ToolConfig | None:
    """The offered tools; where history holds calls, they stay declared though the tool is offered no more."""
    specs = [tool.converse() for tool in material.offered]
    messages = [*material.past, *history.turn_messages(material.turn_row)]
    used = {block["toolUse"]["name"] for message in messages for block in message["content"] if "toolUse" in block}
    specs += [_retired(name) for name in sorted(used - {tool.function_name for tool in material.offered})]
    return {"tools": specs} if specs else None


def _retired(name: str) -> Tool:
    return {
        "toolSpec": {
            "name": name,
            "description": "No longer available; do not call it.",
            "inputSchema": {"json": {"type": "object", "properties": {}}},
        }
    }
