import json
from typing import Any
from urllib.parse import quote_plus
from uuid import UUID

import pytest

from rolecall.knowledge.arrivals import Arrival, arrivals

ID = "11111111-2222-4333-8444-555555555555"
BUCKET = {"name": "rolecall-uploads"}


def a_record(key: str, *, event: str = "ObjectCreated:Put", **fields: Any) -> dict[str, Any]:
    found = {"key": key, "size": 3, "eTag": "abc", "sequencer": "0A1B"} | fields
    return {"eventName": event, "s3": {"bucket": BUCKET, "object": found}}


def read(*records: dict[str, Any]) -> list[Arrival]:
    return arrivals(json.dumps({"Records": records}))


@pytest.mark.parametrize(
    ("encoded", "name"),
    [
        ("this+im+%2B+age+100%25+A%CC%8Asa.pdf", "this im + age 100% A\u030asa.pdf"),
        ("a%2520b.pdf", "a%20b.pdf"),
        ("c%2B%2B.pdf", "c++.pdf"),
        ("%F0%9F%98%80+cv+%281%29.pdf", "😀 cv (1).pdf"),
        ("%2E%2E/y.pdf", "../y.pdf"),
    ],
)
def test_the_key_of_s3_is_decoded_exactly_once(encoded: str, name: str) -> None:
    [arrival] = read(a_record(f"uploads/{ID}/{encoded}"))
    assert arrival.key == f"uploads/{ID}/{name}"
    assert arrival.document_id == UUID(ID)


def test_the_key_of_eventbridge_is_not_decoded() -> None:
    found = {"key": f"uploads/{ID}/a%20b+c.pdf", "size": 3, "etag": "abc", "sequencer": "0A"}
    event = {"detail-type": "Object Created", "detail": {"bucket": BUCKET, "object": found}}
    [arrival] = arrivals(json.dumps(event))
    assert (arrival.key, arrival.etag) == (f"uploads/{ID}/a%20b+c.pdf", "abc")


@pytest.mark.parametrize(
    "body",
    [
        "no json",
        "[]",
        json.dumps({"Event": "s3:TestEvent", "Bucket": "b"}),
        json.dumps({"Records": [a_record(f"uploads/{ID}/x.pdf", event="ObjectRemoved:Delete")]}),
        json.dumps({"Records": [a_record("uploads/folder/")]}),
        json.dumps({"Records": [a_record(f"uploads/{ID}/")]}),
        json.dumps({"Records": [a_record(f"uploads/{ID}")]}),
        json.dumps({"Records": [a_record("uploads/x/%2E%2E/y.pdf")]}),
        json.dumps({"Records": [a_record(f"elsewhere/{ID}/x.pdf")]}),
    ],
)
def test_what_is_no_document_is_skipped(body: str) -> None:
    assert arrivals(body) == []


def test_later_events_compare_greater_whatever_the_length_of_their_sequencers() -> None:
    key = quote_plus(f"uploads/{ID}/x")
    first, second, third = read(
        *(a_record(key, sequencer=s) for s in ("0055aed6dcd90281e5", "0055AED6DCD90281E6", "0056"))
    )
    assert first.sequencer < second.sequencer < third.sequencer
    assert read(a_record(key, sequencer=None))[0].sequencer < first.sequencer
