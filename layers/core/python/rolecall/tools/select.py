"""Which tools a turn offers the model, in which order."""

from collections.abc import Sequence
from typing import Any

from psycopg import Connection

from rolecall.agents.models import Agent, TaskConfig
from rolecall.agents.palettes import JOB_SEEKER_TOOLS
from rolecall.identity import Caller
from rolecall.tools import store
from rolecall.tools.models import ToolDefinition


def offered_tools(
    conn: Connection[Any], caller: Caller, agent: Agent, task: TaskConfig | None, *, forced: Sequence[str]
) -> list[ToolDefinition]:
    """The tools of a turn: forced ones first, then always-included ones, then the rest.

    Only what the agent (or its task) enables, what is active for the company, and what the caller's mode allows.
    Forced tools change the order and never the set: a client cannot enable a tool.
    """
    enabled = task.enabled_tools if task and task.enabled_tools else agent.enabled_tools
    types = {tool_type for tool_type in enabled if allowed_in_mode(caller, tool_type)}
    wanted = set(forced)
    return sorted(
        store.definitions(conn, caller, sorted(types)),
        key=lambda tool: (not _names(tool) & wanted, not tool.always_include, tool.tool_code),
    )


def allowed_in_mode(caller: Caller, tool_type: str) -> bool:
    """Say whether the caller's mode may use a tool type at all."""
    return caller.mode == "recruiter" or tool_type in JOB_SEEKER_TOOLS


def _names(tool: ToolDefinition) -> set[str]:
    return {tool.tool_code, tool.function_name, tool.tool_type}
