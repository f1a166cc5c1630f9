"""What can go wrong between us and a model, in words that a person can act on."""

import re
from enum import StrEnum
from typing import Any, Final

from rolecall.errors import ErrorCode, RolecallError


class ModelErrorKind(StrEnum):
    """Why a model call failed; it decides whether the call is made again."""

    THROTTLED = "throttled"
    VALIDATION = "validation"
    TOO_LONG = "too_long"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    STREAM = "stream"
    ACCESS = "access"
    UNKNOWN = "unknown"


RETRYABLE: Final = frozenset({ModelErrorKind.THROTTLED, ModelErrorKind.UNAVAILABLE, ModelErrorKind.STREAM})

_MESSAGES: Final = {
    ModelErrorKind.THROTTLED: "The model is busy.",
    ModelErrorKind.VALIDATION: "The model refused the request.",
    ModelErrorKind.TOO_LONG: "The conversation is too long for the model.",
    ModelErrorKind.TIMEOUT: "The model took too long to answer.",
    ModelErrorKind.UNAVAILABLE: "The model is not available at the moment.",
    ModelErrorKind.STREAM: "The model's answer broke off.",
    ModelErrorKind.ACCESS: "This account may not use the model.",
    ModelErrorKind.UNKNOWN: "The model failed.",
}

_KINDS: Final = {
    "ThrottlingException": ModelErrorKind.THROTTLED,
    "TooManyRequestsException": ModelErrorKind.THROTTLED,
    "ServiceQuotaExceededException": ModelErrorKind.THROTTLED,
    "ValidationException": ModelErrorKind.VALIDATION,
    "ResourceNotFoundException": ModelErrorKind.VALIDATION,
    "ParamValidationError": ModelErrorKind.VALIDATION,
    "ModelTimeoutException": ModelErrorKind.TIMEOUT,
    "ReadTimeoutError": ModelErrorKind.TIMEOUT,
    "ServiceUnavailableException": ModelErrorKind.UNAVAILABLE,
    "InternalServerException": ModelErrorKind.UNAVAILABLE,
    "InternalFailure": ModelErrorKind.UNAVAILABLE,
    "ModelNotReadyException": ModelErrorKind.UNAVAILABLE,
    "EndpointConnectionError": ModelErrorKind.UNAVAILABLE,
    "ConnectTimeoutError": ModelErrorKind.UNAVAILABLE,
    "ConnectionClosedError": ModelErrorKind.UNAVAILABLE,
    "ConnectionError": ModelErrorKind.UNAVAILABLE,
    "ProxyConnectionError": ModelErrorKind.UNAVAILABLE,
    "HTTPClientError": ModelErrorKind.UNAVAILABLE,
    "ModelStreamErrorException": ModelErrorKind.STREAM,
    "ModelErrorException": ModelErrorKind.STREAM,
    "IncompleteReadError": ModelErrorKind.STREAM,
    "ProtocolError": ModelErrorKind.STREAM,
    "ResponseStreamingError": ModelErrorKind.STREAM,
    "ChecksumMismatch": ModelErrorKind.STREAM,
    "AccessDeniedException": ModelErrorKind.ACCESS,
    "UnrecognizedClientException": ModelErrorKind.ACCESS,
    "ExpiredTokenException": ModelErrorKind.ACCESS,
    "NoCredentialsError": ModelErrorKind.ACCESS,
    "PartialCredentialsError": ModelErrorKind.ACCESS,
    "CredentialRetrievalError": ModelErrorKind.ACCESS,
    "TokenRetrievalError": ModelErrorKind.ACCESS,
}


_TOO_LONG: Final = re.compile(
    r"\b(?:input|prompt|request|conversation)\b.{0,40}\btoo (?:long|large)|too many (?:input |total )*tokens|"
    r"context[ _](?:length|window|limit|size)|token count.{0,60}exceeds|exceeds? .{0,40}maximum .{0,40}tokens",
    re.IGNORECASE,
)
"""How providers refuse a request for its length; none has an error type of its own for it."""


class ModelError(RolecallError):
    """A model call failed: `kind` says why, `detail` what the provider said (for logs, never a prompt).

    A refused request (VALIDATION) whose detail speaks of its length becomes TOO_LONG, whichever provider says so.
    """

    code = ErrorCode.CHAT_ERROR

    def __init__(
        self, kind: ModelErrorKind, *, message: str | None = None, detail: str = "", hint: str | None = None
    ) -> None:
        if kind is ModelErrorKind.VALIDATION and _TOO_LONG.search(detail):
            kind = ModelErrorKind.TOO_LONG
        code = ErrorCode.CONTEXT_EXHAUSTED if kind is ModelErrorKind.TOO_LONG else None
        super().__init__(message or _MESSAGES[kind], code=code, hint=hint)
        self.kind = kind
        self.detail = detail

    @property
    def retryable(self) -> bool:
        """Say whether the same request may succeed in a moment."""
        return self.kind in RETRYABLE


def kind_of(name: str) -> ModelErrorKind:
    """Return the kind of an error named as Bedrock or botocore name it, whichever case the first letter has."""
    return _KINDS.get(name[:1].upper() + name[1:], ModelErrorKind.UNKNOWN)


def from_exception(exc: Exception) -> ModelError | None:
    """Translate a botocore or urllib3 error by its name; None when it is none of theirs.

    By name, because importing botocore here would put it on the cold path of everything that imports us.
    """
    response: dict[str, Any] = getattr(exc, "response", None) or {}
    error = response.get("Error", {}) if isinstance(response, dict) else {}
    names = [str(error.get("Code", "")), *(base.__name__ for base in type(exc).__mro__)]
    module = type(exc).__module__.partition(".")[0]
    if module not in {"botocore", "urllib3", "boto3"}:
        return None
    kinds = (kind_of(name) for name in names)
    kind = next((kind for kind in kinds if kind is not ModelErrorKind.UNKNOWN), ModelErrorKind.UNKNOWN)
    return ModelError(kind, detail=str(error.get("Message") or exc))
