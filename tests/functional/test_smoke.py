"""The smoke test holds on a stack that works, and says so where it does not."""

import pytest

from local.bedrock.script import Throttle
from local.client import Client
from local.smoke import CHECKS, run
from local.stack import Stack


def test_every_check_holds_on_a_working_stack(recruiter: Client, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(recruiter) == 0
    assert f"{len(CHECKS)} of {len(CHECKS)} held" in capsys.readouterr().out


def test_a_check_that_does_not_hold_is_named(
    stack: Stack, recruiter: Client, capsys: pytest.CaptureFixture[str]
) -> None:
    stack.bedrock.script.push(Throttle(times=8), when=lambda request: "messages" in request)

    assert run(recruiter) >= 1
    assert "✗ an answer streams" in capsys.readouterr().out
