"""A tool's definition as a row, one call of it, and what its handler gets."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any
from uuid import UUID

from psycopg import Connection

from rolecall.identity import Caller
from rolecall.llm.types import Tool
from rolecall.settings import Settings


class CallStatus(StrEnum):
    """State of a tool call."""

    PENDING = "PENDING"
    AWAITING_APPROVAL = "AWAITING_APPROVAL"
    RUNNING = "RUNNING"
    SUCCEEDED = "SUCCEEDED"
    FAILED = "FAILED"
    REJECTED = "REJECTED"
    CANCELLED = "CANCELLED"


ENDED = frozenset({CallStatus.SUCCEEDED, CallStatus.FAILED, CallStatus.REJECTED, CallStatus.CANCELLED})


@dataclass(frozen=True, slots=True)
class ToolDefinition:
    """What the model is told of a tool, and the flags that guard it; the company's overlay is applied."""

    tool_code: str
    tool_type: str
    function_name: str
    name: str
    description: str
    search_queries: str
    category: str
    parameters_schema: dict[str, Any]
    always_include: bool
    requires_approval: bool
    requires_write: bool
    requires_corpus: bool

    def converse(self) -> Tool:
        """Render as a toolSpec of a Converse request."""
        return {
            "toolSpec": {
                "name": self.function_name,
                "description": self.description,
                "inputSchema": {"json": self.parameters_schema},
            }
        }


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call's row, as much as is needed to run it."""

    turn_id: UUID
    tool_call_id: str
    conversation_id: UUID
    agent_id: UUID
    hop: int
    position: int
    function_name: str
    tool_code: str | None
    tool_type: str | None
    status: CallStatus
    input: dict[str, Any]
    output: Any
    error_message: str | None
    execution_time_ms: int | None

    @property
    def succeeded(self) -> bool:
        """Say whether the tool ran and gave a result."""
        return self.status == CallStatus.SUCCEEDED

    @property
    def shown_output(self) -> Any:
        """What the model and the client read: the output, or why there is none."""
        return self.output if self.succeeded else self.error_message


@dataclass(frozen=True, slots=True)
class ToolContext:
    """What a handler works with. Whatever it writes through `conn` is kept only if the call succeeds."""

    conn: Connection[Any]
    caller: Caller
    conversation_id: UUID
    turn_id: UUID
    tool_call_id: str
    agent_id: UUID
    settings: Settings
    sources: list[dict[str, Any]] = field(default_factory=list)
    """Sources that the call found and the turn did not have, in wire shape; announced when the call has ended."""
