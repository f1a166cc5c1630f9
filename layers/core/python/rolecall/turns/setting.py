"""Whom a turn talks to: the conversation, its agent, the task, the model; and whether it may."""

from dataclasses import dataclass
from typing import Final

from rolecall.agents.models import Agent, AgentStatus, TaskConfig
from rolecall.conversations.models import Conversation
from rolecall.errors import ErrorCode, TurnFailed
from rolecall.identity import Caller
from rolecall.llm.access import Access
from rolecall.llm.capabilities import capabilities
from rolecall.llm.credentials import Credentials
from rolecall.llm.resolve import checked, resolve
from rolecall.llm.specs import ModelSpec
from rolecall.protocol.limits import TOOL_ROUNDS

LEAST_WINDOW: Final = 1_000
"""An agent's config that names a smaller window is not believed."""


@dataclass(frozen=True, slots=True)
class Setting:
    """Who the caller talks to: the conversation, its agent, the task it is linked to, the model and its access."""

    conversation: Conversation
    agent: Agent
    task: TaskConfig | None
    spec: ModelSpec
    access: Access
    credentials: Credentials
    """How any other model is reached."""

    @property
    def small(self) -> ModelSpec:
        """The model of side calls: the agent's small one, or the settings'."""
        return resolve(None, None, self.agent.small_llm_model, None, self.credentials.settings.small_model)

    @property
    def temperature(self) -> float:
        """The task's, or the agent's."""
        return self.task.temperature if self.task and self.task.temperature is not None else self.agent.temperature

    @property
    def max_tokens(self) -> int:
        """The task's, or the agent's."""
        return self.task.max_tokens if self.task and self.task.max_tokens else self.agent.max_tokens

    @property
    def thinking_budget(self) -> int:
        """The agent's, or the settings'; 0: no reasoning."""
        own = self.agent.thinking_budget
        return self.credentials.settings.thinking_budget if own is None else own

    @property
    def sequential(self) -> bool:
        """Whether the task is a workflow in steps."""
        return self.task is not None and self.task.mode == "sequential"

    @property
    def last_hop(self) -> int:
        """The hop after which no more tools run."""
        return self.task.max_iterations if self.task and self.sequential else TOOL_ROUNDS + 1

    @property
    def context_tokens(self) -> int:
        """Most tokens of a request and its answer: what the model takes, or less where the agent's config says so."""
        most, own = capabilities(self.spec.model).context_tokens, self.agent.config.get("contextTokens")
        return min(most, own) if isinstance(own, int) and own >= LEAST_WINDOW else most

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


def judged(
    caller: Caller,
    conversation: Conversation | None,
    agent: Agent | None,
    task: TaskConfig | None,
    credentials: Credentials,
    *,
    model: str | None = None,
) -> Setting:
    """Put together whom the caller talks to; `model` is the call's own.

    Raises:
        TurnFailed: CONVERSATION_NOT_FOUND, CONVERSATION_INACTIVE or AGENT_INACTIVE.
        RolecallError: the model is none, or there is no way to reach it.
    """
    if conversation is None or conversation.user_id != caller.user_id:
        raise TurnFailed("There is no such conversation.", code=ErrorCode.CONVERSATION_NOT_FOUND)
    if conversation.status != "ACTIVE":
        raise TurnFailed(f"The conversation is {conversation.status.lower()}.", code=ErrorCode.CONVERSATION_INACTIVE)
    if agent is None:
        raise TurnFailed("The conversation's agent is gone.", code=ErrorCode.AGENT_INACTIVE)
    if agent.status != AgentStatus.ACTIVE:
        raise TurnFailed(f"{agent.name} is {agent.status.lower()}.", code=ErrorCode.AGENT_INACTIVE)
    if model:
        checked(model, "model")
    spec = resolve(model, task.llm_model if task else None, agent.llm_model, None, credentials.settings.model)
    return Setting(conversation, agent, task, spec, credentials.access_for(spec.provider), credentials)
