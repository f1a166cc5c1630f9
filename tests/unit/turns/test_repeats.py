"""The same call with the same arguments."""

from dataclasses import replace
from typing import Any
from uuid import uuid4

import pytest

from rolecall.tools.models import Call, CallStatus
from rolecall.turns.repeats import BESIDE, HOPELESS, KNOWN, repeated

TURN = uuid4()


def made(name: str, hop: int, status: CallStatus = CallStatus.SUCCEEDED, **given: Any) -> Call:
    return Call(TURN, str(uuid4()), TURN, TURN, hop, 0, name, name, "GET_ME", status, given, None, None, None)


def refused(name: str, hop: int, why: str, **given: Any) -> Call:
    return replace(made(name, hop, CallStatus.FAILED, **given), error_message=why)


FAILED = CallStatus.FAILED


@pytest.mark.parametrize(
    ("before", "why"),
    [
        ([], None),
        ([made("look", 1, q="b")], None),
        ([made("look", 1, q="a")], KNOWN),
        ([made("look", 2, CallStatus.PENDING, q="a")], BESIDE),
        ([made("look", 2, FAILED, q="a")], None),
        ([made("look", 1, FAILED, q="a")], None),
        ([made("look", 1, FAILED, q="a"), made("look", 1, FAILED, q="a")], HOPELESS),
        ([made("look", 1, q="a"), made("change", 1)], None),
        ([made("look", 1, q="a"), made("change", 1, FAILED)], KNOWN),
        ([made("look", 1, q="a"), made("other", 1)], KNOWN),
        ([made("look", 0, q="a"), refused("look", 1, KNOWN, q="a")], KNOWN),
    ],
)
def test_a_call_is_made_again_only_where_its_result_may_differ(before: list[Call], why: str | None) -> None:
    assert repeated("look", {"q": "a"}, hop=2, made=before, writing={"change"}) == why


def test_a_change_is_not_made_twice() -> None:
    before = [made("change", 1, q="a")]
    assert repeated("change", {"q": "a"}, hop=2, made=before, writing={"change"}) == KNOWN


def test_the_order_of_arguments_makes_no_other_call() -> None:
    before = [made("look", 1, a=1, b=[1, {"x": 2}])]
    assert repeated("look", {"b": [1, {"x": 2}], "a": 1}, hop=2, made=before, writing=()) == KNOWN
