"""Whoever answers with Bedrock pays nothing for the other houses."""

import subprocess
import sys

import pytest

OTHERS = {"pydantic_ai", "openai", "anthropic", "google.genai", "httpx", "httpx2"}
ENTRY_POINTS = ["functions.chat.turn", "functions.chat.front", "functions.chat.actions", "functions.tools.executor"]


@pytest.mark.parametrize("module", ENTRY_POINTS)
def test_an_entry_point_imports_no_sdk_of_another_house(module):
    code = f"import sys, {module}; sys.exit(str({OTHERS} & sys.modules.keys() or ''))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.strip() == ""
