"""The one root of our errors, and every code a client can see.

RolecallError
 ├── InvalidRequest        the body or a field of it cannot be used
 ├── Unauthorized          no valid token, or no access (also where existence must not leak)
 ├── TurnFailed            a turn ended in an error; carries the code of the terminal event
 ├── ToolRetry             the model may call the tool again with other arguments
 └── ToolFailed            the tool is finished; the model is told why
"""

from enum import StrEnum
from typing import Final


class ErrorCode(StrEnum):
    """Codes of `Error` replies, of `ChatError` events and of failed message rows."""

    CONVERSATION_NOT_FOUND = "CONVERSATION_NOT_FOUND"
    CONVERSATION_INACTIVE = "CONVERSATION_INACTIVE"
    UNAUTHORIZED = "UNAUTHORIZED"
    RATE_LIMITED = "RATE_LIMITED"
    TOKEN_LIMIT_EXCEEDED = "TOKEN_LIMIT_EXCEEDED"
    CHAT_ERROR = "CHAT_ERROR"
    TOOL_ERROR = "TOOL_ERROR"
    INSUFFICIENT_CREDITS = "INSUFFICIENT_CREDITS"
    SUBSCRIPTION_INACTIVE = "SUBSCRIPTION_INACTIVE"
    PLAN_LIMIT_EXCEEDED = "PLAN_LIMIT_EXCEEDED"
    ATTACHMENT_FAILED = "ATTACHMENT_FAILED"
    TURN_IN_PROGRESS = "TURN_IN_PROGRESS"
    AGENT_INACTIVE = "AGENT_INACTIVE"
    CONTEXT_EXHAUSTED = "CONTEXT_EXHAUSTED"
    CANCELLED = "CANCELLED"
    UNKNOWN_ACTION = "UNKNOWN_ACTION"
    INVALID_REQUEST = "INVALID_REQUEST"
    STREAM_TIMEOUT = "STREAM_TIMEOUT"
    REJECTED = "REJECTED"
    UNKNOWN = "UNKNOWN"

    @classmethod
    def stored(cls, code: str | None) -> "ErrorCode":
        """Read a row's code; one that another release wrote and this one does not know is UNKNOWN."""
        return next((known for known in cls if known == code), cls.UNKNOWN)


RECOVERY_HINTS: Final[dict[ErrorCode, str]] = {
    ErrorCode.CONVERSATION_NOT_FOUND: "Create a new conversation.",
    ErrorCode.CONVERSATION_INACTIVE: "Start a new conversation.",
    ErrorCode.UNAUTHORIZED: "Sign in again, and check that you act for the right company.",
    ErrorCode.RATE_LIMITED: "Wait a moment and send the message again.",
    ErrorCode.TOKEN_LIMIT_EXCEEDED: "Wait until the daily budget resets, or ask an admin to raise it.",
    ErrorCode.CHAT_ERROR: "Send the message again.",
    ErrorCode.TOOL_ERROR: "Check the tool's configuration, then try again.",
    ErrorCode.INSUFFICIENT_CREDITS: "Buy more credits.",
    ErrorCode.SUBSCRIPTION_INACTIVE: "Activate the subscription.",
    ErrorCode.PLAN_LIMIT_EXCEEDED: "Upgrade the plan.",
    ErrorCode.ATTACHMENT_FAILED: (
        "Re-upload the file and try again. If it fails again, the format may not be supported."
    ),
    ErrorCode.TURN_IN_PROGRESS: "Wait for the answer, or cancel it, then send the message again.",
    ErrorCode.AGENT_INACTIVE: "Choose another agent, or ask its owner to switch it on.",
    ErrorCode.CONTEXT_EXHAUSTED: "Start a new conversation, or send a shorter message.",
    ErrorCode.CANCELLED: "Send the message again when you want an answer.",
    ErrorCode.UNKNOWN_ACTION: "Use one of the actions that the protocol lists.",
    ErrorCode.INVALID_REQUEST: "Correct the named field and send the request again.",
    ErrorCode.STREAM_TIMEOUT: "Send the message again.",
    ErrorCode.REJECTED: "Change the request, or ask the person who decided.",
    ErrorCode.UNKNOWN: "Send the message again. If it fails again, tell support the turn's id.",
}


class RolecallError(Exception):
    """Root of all errors that a person may be shown: a code, a message, and what to do next."""

    code: ErrorCode = ErrorCode.UNKNOWN

    def __init__(self, message: str, *, code: ErrorCode | None = None, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.code
        self.recovery_hint = hint or RECOVERY_HINTS[self.code]


class InvalidRequest(RolecallError):
    """The request cannot be used as it is; nothing was stored."""

    code = ErrorCode.INVALID_REQUEST


class Unauthorized(RolecallError):
    """The caller is not known, or not entitled."""

    code = ErrorCode.UNAUTHORIZED


class TurnFailed(RolecallError):
    """The turn cannot go on; `code` becomes its terminal event's."""

    code = ErrorCode.CHAT_ERROR


class ToolRetry(RolecallError):
    """A tool cannot use these arguments; the model reads the message and may call again."""

    code = ErrorCode.TOOL_ERROR


class ToolFailed(RolecallError):
    """A tool is finished without a result; the model reads the message and goes on without it."""

    code = ErrorCode.TOOL_ERROR
