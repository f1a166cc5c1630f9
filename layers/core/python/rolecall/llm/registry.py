"""The providers: each is a module in `providers/`, and dropping one in is all that adds it."""

import importlib
import pkgutil
from collections.abc import Iterator
from functools import cache
from typing import Protocol, cast

from rolecall.errors import ErrorCode, RolecallError
from rolecall.llm import providers
from rolecall.llm.access import Access
from rolecall.llm.stream import StreamEvent
from rolecall.llm.types import ConverseRequest


class ProviderStream(Protocol):
    """An answer on its way; `close` may be called by another thread and ends the iteration."""

    def __iter__(self) -> Iterator[StreamEvent]: ...

    def close(self) -> None:
        """Stop reading and give the connection back."""


class Provider(Protocol):
    """What a module in `providers/` defines."""

    def open_stream(
        self, model: str, request: ConverseRequest, *, access: Access, read_timeout: float
    ) -> ProviderStream:
        """Send the request and return the answer's stream; raise ModelError."""


@cache
def registered() -> frozenset[str]:
    """Return the names of all providers, as specs write them."""
    return frozenset(module.name.replace("_", "-") for module in pkgutil.iter_modules(providers.__path__))


def unusable(message: str) -> RolecallError:
    """Build the error for a model that the settings or an agent name and that cannot be used."""
    return RolecallError(message, code=ErrorCode.CHAT_ERROR, hint="Choose another model.")


def provider(name: str) -> Provider:
    """Import a provider by its name.

    Raises:
        RolecallError: there is none of that name, or a package that it needs is not installed.
    """
    if name not in registered():
        known = ", ".join(sorted(registered()))
        raise unusable(f"There is no model provider {name!r}; there are: {known}.")
    try:
        module = importlib.import_module(f"{providers.__name__}.{name.replace('-', '_')}")
    except ImportError as exc:
        raise unusable(f"The model provider {name!r} needs the package {exc.name!r}.") from exc
    return cast("Provider", module)
