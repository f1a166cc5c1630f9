"""An agent as a client sees it, with what its kind allows."""

from typing import Any

from rolecall.agents.capabilities import capabilities_of
from rolecall.agents.models import Agent


def agent_wire(agent: Agent) -> dict[str, Any]:
    """Render an agent; its persona stays inside."""
    return {
        "agentId": str(agent.id),
        "name": agent.name,
        "description": agent.description,
        "type": agent.type,
        "kind": agent.kind,
        "status": agent.status,
        "isSystem": agent.is_system,
        "scope": "company" if agent.company_id else "user",
        "llmModel": agent.llm_model,
        "capabilities": capabilities_of(agent.kind).plain(),
    }


def agent_settings(agent: Agent) -> dict[str, Any]:
    """Render what of an agent can be changed, its persona too, for those who may change it."""
    return {
        "agentId": str(agent.id),
        "name": agent.name,
        "llmModel": agent.llm_model,
        "smallLlmModel": agent.small_llm_model,
        "systemPrompt": agent.system_prompt,
        "temperature": agent.temperature,
        "maxTokens": agent.max_tokens,
        "maxContextMessages": agent.max_context_messages,
        "thinkingBudget": agent.thinking_budget,
        "public": agent.public,
    }
