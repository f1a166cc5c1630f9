"""Requests that were refused in the field, as a shared folder lists them; skipped where there is none."""

import json
import os
from pathlib import Path

import pytest

from rolecall.llm import contract

SHARED = Path(os.environ.get("ROLECALL_SHARED") or Path(__file__).parents[4] / "shared")
CASES = SHARED / "cases" / "cases.jsonl"
RULES = {
    "a03": {"blank_text"},
    "a06": {"text_with_document"},
    "a07": {"first_is_user", "alternate", "last_is_user", "trailing_whitespace"},
    "a09": {"tool_config_required"},
    "a13": {"tool_name", "alternate"},
}


@pytest.mark.skipif(not CASES.exists(), reason="set ROLECALL_SHARED to the folder that holds cases/cases.jsonl")
@pytest.mark.parametrize("case", RULES)
def test_a_request_that_was_refused_in_the_field_is_found(case):
    rows = (json.loads(line) for line in CASES.read_text().splitlines())
    given = next(row["input"] for row in rows if row["id"] == case)
    violations = contract.check({"messages": given["messages"]})
    assert {violation.rule for violation in violations} >= RULES[case]
