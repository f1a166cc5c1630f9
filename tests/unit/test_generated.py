"""The generated files are those that the code makes, and the schema takes what the code takes."""

from pathlib import Path

import pytest

from local.docs import generated
from local.docs.schema import LIMITS, document, frames
from local.docs.typescript import type_of
from local.paths import CHECKOUT
from rolecall.protocol.events import EVENTS
from rolecall.protocol.replies import REPLIES
from rolecall.protocol.requests import ACTIONS

FILES = generated()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(CHECKOUT)))
def test_a_generated_file_is_up_to_date(path: Path) -> None:
    assert path.exists(), "run `make docs`"
    assert path.read_text() == FILES[path], f"{path.name} is stale; run `make docs`"


def test_every_action_and_event_is_in_the_reference() -> None:
    page = FILES[CHECKOUT / "docs" / "protocol.md"]

    assert [name for name in ACTIONS if f"\n### `{name}`\n" not in page] == []
    assert [model.__name__ for model in (*EVENTS, *frames()) if f"\n### {model.__name__}\n" not in page] == []
    assert [name for name in LIMITS if f"| `{name}` |" not in page] == []


def test_every_action_but_ping_says_what_it_replies() -> None:
    assert set(ACTIONS) - set(REPLIES) == {"ping"}


def test_a_frame_names_every_field_that_is_on_the_wire_as_required() -> None:
    frame = document()["$defs"]["ChatComplete"]

    assert "contentTruncated" in frame["required"]
    assert "notice" not in frame["required"]
    assert frame["properties"]["notice"]["type"] == "string"


@pytest.mark.parametrize(
    ("schema", "expected"),
    [
        ({"type": "array", "items": {"anyOf": [{"type": "string"}, {"type": "null"}]}}, "(string | null)[]"),
        ({"type": "object", "additionalProperties": {"type": "integer"}}, "Record<string, number>"),
        ({"const": "a"}, '"a"'),
        ({}, "unknown"),
    ],
)
def test_a_schema_becomes_its_type(schema: dict, expected: str) -> None:
    assert type_of(schema) == expected
