"""Replies about models."""

from typing import Literal

from rolecall.protocol.base import Data


class ModelKey(Data):
    """A provider's key, told by its last characters. `source`: stored here, or in the environment of the deployment."""

    provider: str
    title: str
    hint: str
    base_url: str | None
    source: Literal["stored", "environment"]
    updated_at: str | None


class StoredModelKey(Data):
    """Reply to `setModelCredential`. `checked` is null where it was not asked for."""

    credential: ModelKey
    checked: Literal["ok", "refused", "unreachable"] | None


class ModelKeys(Data):
    """Reply to `listModelCredentials`."""

    credentials: list[ModelKey]
    may_change: bool


class DeletedModelKey(Data):
    """Reply to `deleteModelCredential`."""

    provider: str
    deleted: bool


class ModelCapabilities(Data):
    """What a model can do, as far as it is known."""

    thinking: bool
    tools: bool
    images: bool
    documents: bool


class ModelOffer(Data):
    """A model. `spec` is what `llmModel` and `model` take."""

    spec: str
    name: str
    provider: str
    usable: bool
    reason: str | None
    """Why it is not usable."""
    capabilities: ModelCapabilities


class ProviderOffer(Data):
    """A provider, and whether it can be used now."""

    provider: str
    title: str
    needs_key: bool
    usable: bool
    reason: str | None


class ModelList(Data):
    """Reply to `listModels`; `main` and `small` are used where an agent names none."""

    models: list[ModelOffer]
    providers: list[ProviderOffer]
    main: str
    small: str


class AgentSettings(Data):
    """What of an agent can be changed; null: the default."""

    agent_id: str
    name: str
    llm_model: str | None
    small_llm_model: str | None
    system_prompt: str | None
    temperature: float
    max_tokens: int
    max_context_messages: int
    thinking_budget: int | None
    public: bool


class UpdatedAgent(Data):
    """Reply to `updateAgent`."""

    agent: AgentSettings
