"""What can go wrong between us and a model, in words that a person can act on."""

from enum import StrEnum
from typing import Any, Final

from rolecall.errors import ErrorCode, RolecallError


class ModelErrorKind(StrEnum):
    """Why a model call failed; it decides whether the call is made again."""

    THROTTLED = "throttled"
    VALIDATION = "validation"
    TIMEOUT = "timeout"
    UNAVAILABLE = "unavailable"
    STREAM = "stream"
    ACCESS = "access"
    UNKNOWN = "unknown"


RETRYABLE: Final = frozenset({ModelErrorKind.THROTTLED, ModelErrorKind.UNAVAILABLE, ModelErrorKind.STREAM})

_MESSAGES: Final = {
    ModelErrorKind.THROTTLED: "The model is busy.",
    ModelErrorKind.VALIDATION: "The model refused the request.",
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


class ModelError(RolecallError):
    """A model call failed: `kind` says why, `detail` what the provider said (for logs, never a prompt)."""

    code = ErrorCode.CHAT_ERROR

    def __init__(self, kind: ModelErrorKind, *, message: str | None = None, detail: str = "") -> None:
        super().__init__(message or _MESSAGES[kind])
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
