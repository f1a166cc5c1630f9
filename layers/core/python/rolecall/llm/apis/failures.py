"""What pydantic-ai's model layer raises, as our errors: whose fault, and what to do; no key and no body in it."""

from typing import Final
from urllib.parse import urlsplit

from pydantic_ai.exceptions import (
    ModelAPIError,
    ModelAuthenticationError,
    ModelConnectionError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelNotFoundError,
    ModelQuotaExceededError,
    ModelRateLimitError,
    ModelRequestRejectedError,
    ModelServerError,
    ModelTimeoutError,
    ModelUnavailableError,
    UnexpectedModelBehavior,
)

from rolecall.llm.access import Access
from rolecall.llm.errors import ModelError, ModelErrorKind
from rolecall.llm.known import about

_MOST: Final = 300


class Failures:
    """Translates the failures of calls to one model."""

    def __init__(self, provider: str, model: str, access: Access) -> None:
        self._known = about(provider)
        self._model = model
        self._access = access

    def no_key(self) -> ModelError:
        """The error for a call without the key that the house asks for."""
        hint = f"Store a key of {self._known.title} among the model settings, or set {self._known.variable}."
        return ModelError(ModelErrorKind.ACCESS, message=f"There is no key for {self._known.title}.", hint=hint)

    def translated(self, exc: BaseException) -> ModelError | None:
        """Return the ModelError that stands for an error; None if it is not the model layer's."""
        if isinstance(exc, ModelError):
            return exc
        if isinstance(exc, ModelConnectionError):
            return self._connection(exc)
        if isinstance(exc, UnexpectedModelBehavior):
            return ModelError(ModelErrorKind.STREAM, detail=type(exc).__name__)
        if not isinstance(exc, ModelAPIError):
            return None
        if isinstance(exc, ModelRequestRejectedError | ModelQuotaExceededError):
            return self._refusal(exc)
        return ModelError(_kind(exc), detail=_facts(exc))

    def _connection(self, exc: ModelConnectionError) -> ModelError:
        if isinstance(exc, ModelTimeoutError) and exc.phase != "connect":
            return ModelError(ModelErrorKind.TIMEOUT, hint="Send the message again, or choose another model.")
        if exc.phase == "connect":
            address = urlsplit(self._access.base_url or self._known.address)
            where = f"{address.hostname}:{address.port or address.scheme}"
            return ModelError(
                ModelErrorKind.UNAVAILABLE,
                message=f"{self._known.title} cannot be reached at {where}.",
                hint="Check that it runs and that its address is right, then send the message again.",
            )
        return ModelError(ModelErrorKind.STREAM, detail="the connection broke")

    def _refusal(self, exc: ModelAPIError) -> ModelError:
        title = self._known.title
        if isinstance(exc, ModelAuthenticationError):
            where = f" (among the model settings, or {self._known.variable})" if self._known.needs_key else ""
            return ModelError(
                ModelErrorKind.ACCESS,
                message=f"{title} refused the API key.",
                detail=_facts(exc),
                hint=f"Check the API key of {title}{where}.",
            )
        if isinstance(exc, ModelQuotaExceededError):
            hint = f"Check the plan and the credit of the account with {title}."
            return ModelError(
                ModelErrorKind.ACCESS, message=f"The account with {title} is used up.", detail=_facts(exc), hint=hint
            )
        if isinstance(exc, ModelNotFoundError):
            return ModelError(
                ModelErrorKind.VALIDATION,
                message=f"{title} knows no model {self._model!r}.",
                detail=_facts(exc),
                hint="Choose another model, or check the address.",
            )
        if isinstance(exc, ModelContextWindowExceededError):
            return ModelError(ModelErrorKind.TOO_LONG, detail=_facts(exc))
        return ModelError(ModelErrorKind.VALIDATION, detail=f"{_facts(exc)} {self._reason(exc)}")

    def _reason(self, exc: ModelAPIError) -> str:
        """What the house says against the request, without the key if it should quote it."""
        body = exc.body if isinstance(exc.body, dict) else {}
        inner = body.get("error", body)
        said = str(inner.get("message", "")) if isinstance(inner, dict) else str(inner)
        key = self._access.api_key.get_secret_value() if self._access.api_key else ""
        return (said.replace(key, "…") if key else said)[:_MOST]


def _kind(exc: ModelAPIError) -> ModelErrorKind:
    if isinstance(exc, ModelRateLimitError):
        return ModelErrorKind.THROTTLED
    if isinstance(exc, ModelUnavailableError | ModelServerError):
        return ModelErrorKind.UNAVAILABLE
    status = exc.status_code if isinstance(exc, ModelHTTPError) else 0
    if status >= 400:
        return ModelErrorKind.UNAVAILABLE if status >= 500 else ModelErrorKind.VALIDATION
    return ModelErrorKind.STREAM  # an error without a status came inside a stream, or instead of its end


def _facts(exc: ModelAPIError) -> str:
    status = exc.status_code if isinstance(exc, ModelHTTPError) else None
    facts = (status, exc.provider_error_type, exc.provider_error_code)
    return " ".join(str(fact) for fact in facts if fact) or type(exc).__name__
