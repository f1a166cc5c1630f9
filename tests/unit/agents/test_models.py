"""The enumerations, the palettes and the capability table."""

import re
from enum import StrEnum
from typing import Any

import pytest
from psycopg import Connection

from rolecall.agents.capabilities import CAPABILITIES, capabilities_of
from rolecall.agents.models import ActivityType, AgentKind, AgentStatus, AgentType, RuntimeProfile, ToolType
from rolecall.agents.palettes import JOB_SEEKER_TOOLS, RECRUITER_TOOLS


@pytest.mark.parametrize(
    ("table", "column", "enumeration"),
    [
        ("agent", "type", AgentType),
        ("agent", "status", AgentStatus),
        ("agent", "runtime_profile", RuntimeProfile),
        ("agent_activity", "activity_type", ActivityType),
    ],
)
def test_the_database_allows_exactly_the_codes_values(
    table: str, column: str, enumeration: type[StrEnum], admin: Connection[Any]
) -> None:
    row = admin.execute(
        "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = %s::regclass AND conname = %s",
        [table, f"{table}_{column}_check"],
    ).fetchone()
    assert row is not None
    assert set(re.findall(r"'([^']+)'::text", row[0])) == set(enumeration)


def test_the_database_knows_exactly_the_codes_tool_types(admin: Connection[Any]) -> None:
    assert admin.execute("SELECT app.tool_types()").fetchone() == (list(ToolType),)


def test_recruiters_have_38_tools_and_job_seekers_19_of_them() -> None:
    assert len(RECRUITER_TOOLS) == 38
    assert len(JOB_SEEKER_TOOLS) == 19
    assert JOB_SEEKER_TOOLS < RECRUITER_TOOLS
    assert ToolType.DATABASE_QUERY not in JOB_SEEKER_TOOLS


def test_every_kind_has_its_capabilities() -> None:
    assert set(CAPABILITIES) == set(AgentKind)


def test_a_kind_of_a_newer_release_has_the_powers_of_a_standard_one() -> None:
    assert AgentKind("overlord") is AgentKind.STANDARD
    assert capabilities_of("overlord") == CAPABILITIES[AgentKind.STANDARD]


def test_a_concierge_can_be_neither_renamed_nor_ended_nor_armed() -> None:
    concierge = capabilities_of("concierge").plain()
    assert concierge.pop("toolset") == "concierge"
    assert not any(concierge.values())
