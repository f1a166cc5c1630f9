"""A tool's definition as a row, one call of it, and what its handler gets."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import Any, Protocol
from uuid import UUID

from psycopg import Connection

from rolecall.identity import Caller
from rolecall.ids import TurnId
from rolecall.llm.stream import Finished, Usage
from rolecall.llm.types import ConverseRequest, Tool
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
class CallTimes:
    """When a call ran; None for what has not happened."""

    tool_call_id: str
    started_at: datetime | None
    finished_at: datetime | None


class CallBook(Protocol):
    """Where calls and the sources of a turn are kept; `conn` is the transaction of whoever runs a call."""

    def lock_call(self, conn: Connection[Any], turn_id: TurnId, tool_call_id: str) -> Call | None:
        """Read a call and hold it: whoever else wants to run it waits for this transaction's end."""
        ...

    def start_call(self, conn: Connection[Any], turn_id: TurnId, tool_call_id: str) -> None:
        """Say that a call runs which nobody holds meanwhile."""
        ...

    def add_thoughts(
        self, conn: Connection[Any], turn_id: UUID, segments: Sequence[dict[str, Any]], usage: Usage
    ) -> bool:
        """Add what a tool thought to the turn, and the tokens it took. False: the turn has ended."""
        ...

    def end_call(self, conn: Connection[Any], call: Call, *, content: str, error_code: str | None = None) -> None:
        """Keep how a call ended; `content` is its output (or error) as text."""
        ...

    def turn_goes_on(self, conn: Connection[Any], turn_id: UUID) -> bool:
        """Say whether the turn has not ended; until the transaction ends it will not."""
        ...

    def lock_sources(self, conn: Connection[Any], turn_id: UUID) -> list[dict[str, Any]]:
        """Read a turn's sources and hold them."""
        ...

    def set_sources(self, conn: Connection[Any], turn_id: UUID, sources: Sequence[dict[str, Any]]) -> None:
        """Replace a turn's sources."""
        ...


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
    book: CallBook
    sources: list[dict[str, Any]] = field(default_factory=list)
    """Sources that the call found and the turn did not have, in wire shape; announced when the call has ended."""


class CallDiscarded(Exception):
    """The turn ended while the tool ran: whatever it did is taken back."""


class Thinker(Protocol):
    """Asks the turn's reasoning model; the watchers of the turn see what it thinks."""

    thoughts: list[str]
    """What was thought, a text a pass."""
    usage: Usage
    """Tokens of all passes."""

    def __call__(self, request: ConverseRequest) -> Finished:
        """Return the model's answer; raise ModelError, or CallDiscarded where the turn has ended."""
        ...


@dataclass(frozen=True, slots=True)
class ThinkingContext:
    """What the handler of a tool that thinks works with: short transactions, and a model between them."""

    transaction: Callable[[], AbstractContextManager[Connection[Any]]]
    """Opens one of the caller's, to read by; it must not be open while the model thinks."""
    think: Thinker
    caller: Caller
    conversation_id: UUID
    turn_id: UUID
    tool_call_id: str
    agent_id: UUID
    settings: Settings
