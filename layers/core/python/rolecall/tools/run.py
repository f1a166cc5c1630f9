"""Running one tool call: exactly once, whatever retries, and with an outcome that the model can read."""

import json
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from rolecall.db import Database
from rolecall.errors import ErrorCode, RolecallError, ToolFailed, ToolRetry
from rolecall.identity import Caller
from rolecall.ids import TurnId
from rolecall.llm.tool_results import json_safe
from rolecall.protocol.limits import TOOL_OUTPUT_BYTES
from rolecall.settings import Settings
from rolecall.telemetry import log_failure
from rolecall.tools import store
from rolecall.tools.declare import Tool
from rolecall.tools.models import ENDED, Call, CallBook, CallStatus, ToolContext
from rolecall.tools.select import allowed_in_mode


@dataclass(frozen=True, slots=True)
class Ran:
    """A call that has ended. `repeated`: it had ended before; nothing was done again."""

    call: Call
    repeated: bool
    sources: Sequence[dict[str, Any]] = ()
    """Sources that it added to the turn's."""


@dataclass(frozen=True, slots=True)
class Workshop:
    """What calls run with: the database, the tools, the settings, and where calls are kept (rows unless told)."""

    db: Database
    catalogue: Mapping[str, Tool]
    settings: Settings
    book: CallBook = store


class _Discarded(Exception):
    """The turn ended while the tool ran: whatever it did is taken back."""


def run_call(workshop: Workshop, caller: Caller, turn_id: TurnId, tool_call_id: str) -> Ran | None:
    """Run a stored call and store its outcome in the same transaction, so that it acts once.

    Whoever comes second waits for the first and finds the call ended. A handler that fails leaves nothing behind but
    the error.

    Returns:
        None where the caller has no such call.
    """
    with workshop.db.transaction(caller) as conn:
        call = workshop.book.lock_call(conn, turn_id, tool_call_id)
        if call is None:
            return None
        if call.status in ENDED:
            return Ran(call, repeated=True)
        context = ToolContext(
            conn=conn,
            caller=caller,
            conversation_id=call.conversation_id,
            turn_id=call.turn_id,
            tool_call_id=call.tool_call_id,
            agent_id=call.agent_id,
            settings=workshop.settings,
            book=workshop.book,
        )
        ended, code = _attempt(context, workshop.catalogue, call)
        workshop.book.end_call(conn, ended, content=_as_text(ended.shown_output), error_code=code)
    return Ran(ended, repeated=False, sources=context.sources if ended.succeeded else ())


def _attempt(context: ToolContext, catalogue: Mapping[str, Tool], call: Call) -> tuple[Call, str | None]:
    started = time.monotonic()
    try:
        with context.conn.transaction():
            output = _capped(json_safe(_handle(context, catalogue, call)))
            _unless_ended(context)
        ended, code = replace(call, status=CallStatus.SUCCEEDED, output=output), None
    except _Discarded:
        ended, code = replace(call, status=CallStatus.CANCELLED, error_message="Cancelled."), ErrorCode.CANCELLED
    except RolecallError as error:
        ended, code = replace(call, status=CallStatus.FAILED, error_message=error.message), error.code
    except Exception as error:  # noqa: BLE001 - a handler may fail in any way; the model and the log learn of it
        log_failure("tool failed", error, tool=call.tool_code, turn_id=str(call.turn_id))
        ended = replace(call, status=CallStatus.FAILED, error_message="The tool failed; nothing was changed.")
        code = ErrorCode.TOOL_ERROR
    return replace(ended, execution_time_ms=round((time.monotonic() - started) * 1000)), code


def _handle(context: ToolContext, catalogue: Mapping[str, Tool], call: Call) -> dict[str, Any]:
    tool = catalogue.get(call.tool_code or "")
    if tool is None or not allowed_in_mode(context.caller, tool.tool_type):
        raise ToolFailed(f"There is no tool {call.function_name!r} here.")
    try:
        arguments = tool.arguments.model_validate(call.input)
    except ValidationError as error:
        raise ToolRetry(_explain(error)) from error
    return tool.handler(context, arguments)


def _unless_ended(context: ToolContext) -> None:
    if not context.book.turn_goes_on(context.conn, context.turn_id):
        raise _Discarded


def _explain(error: ValidationError) -> str:
    """Say what is wrong in words that a model can act on, without repeating what was sent."""
    problems = (
        f"{'.'.join(str(part) for part in problem['loc']) or 'arguments'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False, include_context=False)
    )
    return "The arguments cannot be used. " + "; ".join(problems)


def _capped(output: Any) -> Any:
    text = json.dumps(output, ensure_ascii=False)
    size = len(text.encode())
    if size <= TOOL_OUTPUT_BYTES:
        return output
    start = text.encode()[:TOOL_OUTPUT_BYTES].decode(errors="ignore")
    return {"truncated": True, "size_bytes": size, "start": start}


def _as_text(output: Any) -> str:
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)
