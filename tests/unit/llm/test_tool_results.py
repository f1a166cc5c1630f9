import json
import re
from datetime import UTC, date, datetime
from decimal import Decimal
from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolecall.llm import contract
from rolecall.llm.tool_results import legal_call_id, legal_tool_name, result_block

ID = UUID("123e4567-e89b-12d3-a456-426614174000")


def content_of(value, ok=True):
    block = result_block("t1", value, ok)["toolResult"]
    assert block["status"] == ("success" if ok else "error")
    (part,) = block["content"]
    return part


def test_only_an_object_goes_to_json():
    assert content_of({"a": 1000.0}) == {"json": {"a": 1000.0}}
    assert content_of({"rows": []}) == {"json": {"rows": []}}


@pytest.mark.parametrize(
    ("value", "text"),
    [([1, 2, 3], "[1, 2, 3]"), (42, "42"), (True, "true"), ("[1,2,3]", "[1,2,3]"), ("null", "null"), ("café", "café")],
)
def test_everything_else_is_text(value, text):
    assert content_of(value) == {"text": text}


def test_what_json_does_not_know_is_converted():
    value = {
        "x": float("nan"),
        "inf": float("inf"),
        "d": Decimal("1.10"),
        "when": datetime(2026, 1, 2, tzinfo=UTC),
        "day": date(2026, 1, 2),
        "id": ID,
        "b": b"..",
        "t": (1, {ID}),
        ID: 1,
    }
    assert content_of(value) == {
        "json": {
            "x": None,
            "inf": None,
            "d": "1.10",
            "when": "2026-01-02T00:00:00+00:00",
            "day": "2026-01-02",
            "id": str(ID),
            "b": "(2 bytes, not shown)",
            "t": [1, [str(ID)]],
            str(ID): 1,
        }
    }


@pytest.mark.parametrize("value", ["", None, {}, "  \n", "\u200b"])
@pytest.mark.parametrize("ok", [True, False])
def test_a_result_is_never_blank(value, ok):
    assert content_of(value, ok)["text"].strip()


def history(call_id, name, value, ok=True):
    use = {"toolUse": {"toolUseId": legal_call_id(call_id), "name": legal_tool_name(name), "input": {}}}
    schema = {"inputSchema": {"json": {"type": "object"}}}
    return {
        "messages": [
            {"role": "user", "content": [{"text": "q"}]},
            {"role": "assistant", "content": [use]},
            {"role": "user", "content": [result_block(call_id, value, ok)]},
        ],
        "toolConfig": {"tools": [{"toolSpec": {"name": "search", "description": "Find", **schema}}]},
    }


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary() | st.decimals() | st.uuids(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.integers(), inner) | st.tuples(inner),
)


@given(value=values, ok=st.booleans(), call_id=st.text(), name=st.text())
def test_any_result_of_any_call_makes_a_legal_request(value, ok, call_id, name):
    request = history(call_id, name, value, ok)
    assert contract.check(request) == []
    json.dumps(request, allow_nan=False)


@pytest.mark.parametrize("name", ["browser.tabs.open", "$READFILE", "", "x" * 70, "søk", "a b"])
def test_an_illegal_name_becomes_a_legal_one_that_is_always_the_same(name):
    assert re.fullmatch(r"[A-Za-z0-9_-]{1,64}", legal_tool_name(name))
    assert legal_tool_name(name) == legal_tool_name(name)


@pytest.mark.parametrize("call_id", ["tooluse_abc-1.2:3", "t1"])
def test_a_legal_id_stays_as_it_is(call_id):
    assert legal_call_id(call_id) == call_id


@given(st.sets(st.text("|/x_é", max_size=80), min_size=2))
def test_two_ids_never_meet(ids):
    assert len({legal_call_id(call_id) for call_id in ids}) == len(ids)
