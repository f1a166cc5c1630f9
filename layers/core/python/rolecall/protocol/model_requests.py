"""Requests about models: their keys, which there are, which an agent uses."""

from typing import Annotated, Literal
from uuid import UUID

from pydantic import AfterValidator, BeforeValidator, Field, SecretStr, StringConstraints

from rolecall.errors import ErrorCode
from rolecall.protocol.base import Request, ShortText, Text
from rolecall.text import is_blank

LONGEST_KEY = 1000
"""Characters of a provider's key."""


def _address(value: object) -> object:
    return (value.strip().rstrip("/") or None) if isinstance(value, str) else value


def _name(value: str) -> str:
    if is_blank(value):
        raise ValueError("is empty; write a name")
    return " ".join(value.split())


ProviderName = Annotated[Text, StringConstraints(pattern=r"^[a-z][a-z0-9-]{0,39}$")]
BaseUrl = Annotated[Annotated[Text, StringConstraints(max_length=500)] | None, BeforeValidator(_address)]
Model = Annotated[Text, StringConstraints(strip_whitespace=True, max_length=300)]


class SetModelCredential(Request):
    """Store the key of a model provider: the company's (owners and admins), or a job seeker's own.

    It takes the place of the one before, address included, and the next model call uses it. Nobody can read it back.
    With `check` the provider is asked at once whether it takes the key.
    """

    action: Literal["setModelCredential"]
    provider: ProviderName
    api_key: Annotated[SecretStr, Field(max_length=4096)] | None = None
    """May be left out for a server that asks for none."""
    base_url: BaseUrl = None
    """Where the provider is, if not at its usual address: a gateway, or a server that speaks as it does."""
    check: bool = True


class ListModelCredentials(Request):
    """Which providers have a key, stored or from the environment; never the keys."""

    action: Literal["listModelCredentials"]


class DeleteModelCredential(Request):
    """Forget a stored key; where the environment has one, that is used from now on."""

    action: Literal["deleteModelCredential"]
    provider: ProviderName


class ListModels(Request):
    """Models that an agent or a message may name, and whether each can be used now. Others may be named as well."""

    action: Literal["listModels"]


class UpdateAgent(Request):
    """Change an agent; what is not named stays, null takes the default again. Without a change it tells how it is.

    A company's agents are for its owners and admins to change, one's own for oneself.
    """

    action: Literal["updateAgent"]
    agent_id: UUID
    name: Annotated[ShortText, AfterValidator(_name)] | None = None
    llm_model: Model | None = None
    small_llm_model: Model | None = None
    system_prompt: Annotated[Text, StringConstraints(max_length=20_000)] | None = None
    temperature: Annotated[float, Field(ge=0, le=2)] | None = None
    max_tokens: Annotated[int, Field(ge=1, le=200_000)] | None = None
    max_context_messages: Annotated[int, Field(ge=1, le=500)] | None = None
    thinking_budget: Annotated[int, Field(ge=0, le=100_000)] | None = None
    """Tokens that the model may think before it answers; 0: none."""
    public: bool | None = None
    """Whether people without an account may talk to it; it then has no tools, and answers from no documents."""
    errors = (ErrorCode.AGENT_INACTIVE,)
