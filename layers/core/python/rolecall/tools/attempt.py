"""What comes of a handler: its output, or words that the model can act on."""

import json
import time
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from pydantic import ValidationError

from rolecall.errors import ErrorCode, RolecallError, ToolFailed, ToolRetry
from rolecall.identity import Caller
from rolecall.llm.tool_results import json_safe
from rolecall.protocol.limits import TOOL_OUTPUT_BYTES
from rolecall.telemetry import log_failure
from rolecall.tools.declare import Tool
from rolecall.tools.models import Call, CallDiscarded, CallStatus
from rolecall.tools.select import allowed_in_mode


def attempted(call: Call, act: Callable[[], dict[str, Any]]) -> tuple[Call, str | None]:
    """Act, and return the call as it ended, with the error's code."""
    started = time.monotonic()
    try:
        ended, code = replace(call, status=CallStatus.SUCCEEDED, output=act()), None
    except CallDiscarded:
        ended, code = discarded(call)
    except RolecallError as error:
        ended, code = replace(call, status=CallStatus.FAILED, error_message=error.message), error.code
    except Exception as error:  # noqa: BLE001 - a handler may fail in any way; the model and the log learn of it
        log_failure("tool failed", error, tool=call.tool_code, turn_id=str(call.turn_id))
        ended = replace(call, status=CallStatus.FAILED, error_message="The tool failed; nothing was changed.")
        code = ErrorCode.TOOL_ERROR
    return replace(ended, execution_time_ms=round((time.monotonic() - started) * 1000)), code


def discarded(call: Call) -> tuple[Call, str | None]:
    """The call of a turn that has ended meanwhile."""
    return replace(call, status=CallStatus.CANCELLED, output=None, error_message="Cancelled."), ErrorCode.CANCELLED


def handled(context: Any, caller: Caller, catalogue: Mapping[str, Tool], call: Call) -> Any:
    """Check the call and run its handler.

    Raises:
        ToolFailed: there is no such tool for the caller.
        ToolRetry: its arguments cannot be used.
    """
    tool = catalogue.get(call.tool_code or "")
    if tool is None or not allowed_in_mode(caller, tool.tool_type):
        raise ToolFailed(f"There is no tool {call.function_name!r} here.")
    try:
        arguments = tool.arguments.model_validate(call.input)
    except ValidationError as error:
        raise ToolRetry(f"The arguments cannot be used. {explained(error)}") from error
    return _capped(json_safe(tool.handler(context, arguments)))


def explained(error: ValidationError) -> str:
    """Say what is wrong in words that a model can act on, without repeating what was sent."""
    return "; ".join(
        f"{'.'.join(str(part) for part in problem['loc']) or 'arguments'}: {problem['msg']}"
        for problem in error.errors(include_url=False, include_input=False, include_context=False)
    )


def as_text(output: Any) -> str:
    """An output as the flat TOOL row holds it."""
    return output if isinstance(output, str) else json.dumps(output, ensure_ascii=False)


def _capped(output: Any) -> Any:
    text = json.dumps(output, ensure_ascii=False)
    size = len(text.encode())
    if size <= TOOL_OUTPUT_BYTES:
        return output
    start = text.encode()[:TOOL_OUTPUT_BYTES].decode(errors="ignore")
    return {"truncated": True, "size_bytes": size, "start": start}
