"""Which tools a turn offers the model, in which order."""

from collections.abc import Iterable

from rolecall.agents.palettes import JOB_SEEKER_TOOLS
from rolecall.identity import Caller
from rolecall.tools.models import ToolDefinition


def offered_tools(caller: Caller, enabled: Iterable[ToolDefinition], *, forced: Iterable[str]) -> list[ToolDefinition]:
    """The tools of a turn: forced ones first, then always-included ones, then the rest.

    Only what the caller's mode allows of what is enabled. Forced tools change the order and never the set: a client
    cannot enable a tool.
    """
    wanted = set(forced)
    return sorted(
        (tool for tool in enabled if allowed_in_mode(caller, tool.tool_type)),
        key=lambda tool: (not _names(tool) & wanted, not tool.always_include, tool.tool_code),
    )


def allowed_in_mode(caller: Caller, tool_type: str) -> bool:
    """Say whether the caller's mode may use a tool type at all; a visitor uses none."""
    if caller.anonymous:
        return False
    return caller.mode == "recruiter" or tool_type in JOB_SEEKER_TOOLS


def _names(tool: ToolDefinition) -> set[str]:
    return {tool.tool_code, tool.function_name, tool.tool_type}
