"""What requests and replies are made of."""

from typing import Annotated, ClassVar

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints
from pydantic.alias_generators import to_camel

from rolecall.errors import ErrorCode


def _legal_text(value: str) -> str:
    if "\x00" in value:
        raise ValueError("contains a NUL character; remove it")
    if any("\ud800" <= character <= "\udfff" for character in value):
        raise ValueError("contains half of a character (a lone surrogate); type it again")
    return value


Text = Annotated[str, AfterValidator(_legal_text)]
ShortText = Annotated[Text, StringConstraints(max_length=200)]


class Request(BaseModel):
    """What every request has: the action that routes it, and an id that its reply repeats."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="ignore", frozen=True)

    action: str
    request_id: Annotated[Text, StringConstraints(min_length=1, max_length=100)] | None = None
    errors: ClassVar[tuple[ErrorCode, ...]] = ()
    """Codes of its own, beside those that every action may fail with."""


class Data(BaseModel):
    """A part of a reply; camelCase on the wire."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, frozen=True, extra="forbid")
