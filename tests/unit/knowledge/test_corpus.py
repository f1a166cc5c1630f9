"""The shared corpus, where there is one: what each file must yield, or how it must fail."""

import json
import os
import re
import unicodedata
from pathlib import Path
from typing import Any, Final

import pytest

from rolecall.knowledge.extract import extract
from rolecall.knowledge.faults import UnreadableDocument

_SHARED: Final = Path(os.environ.get("ROLECALL_SHARED") or Path(__file__).parents[4] / "shared")
_MANIFEST: Final = _SHARED / "corpus" / "manifest.jsonl"
_DROPPED: Final = re.compile("[\u00ad\u061c\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]")
READ: Final = {"pdf", "docx", "html", "md", "txt", "csv"}
"""Folders of the types that are read; files of other types must be refused by name, or as damaged."""
KNOWN: Final = {"docs/pdf/jo.pdf": "PDFium skips a part of vertical text in a font that is not embedded; OCR will do"}


def entries() -> list[dict[str, Any]]:
    return [json.loads(line) for line in _MANIFEST.read_text().splitlines()] if _MANIFEST.exists() else []


def outcomes(entry: dict[str, Any]) -> set[str]:
    return {entry["expected_outcome"], *entry.get("acceptable_outcomes", [])}


def normal(text: str, entry: dict[str, Any]) -> str:
    text = _DROPPED.sub("", unicodedata.normalize("NFKC", text))
    return re.sub(r"\s+", "" if entry.get("compare") == "ignore_whitespace" else " ", text)


def is_read(entry: dict[str, Any]) -> bool:
    return entry["path"].split("/")[1] in READ


def named(entry: dict[str, Any]) -> str:
    return str(entry["path"])


readable = [entry for entry in entries() if is_read(entry) and "ok" in outcomes(entry)]
failing = [entry for entry in entries() if "ok" not in outcomes(entry) or not is_read(entry)]

if not entries():
    pytest.skip("no corpus beside the checkout; ROLECALL_SHARED names another place", allow_module_level=True)


@pytest.mark.parametrize("entry", readable, ids=named)
def test_a_readable_file_yields_its_text(entry: dict[str, Any], request: pytest.FixtureRequest) -> None:
    if reason := KNOWN.get(entry["path"]):
        request.applymarker(pytest.mark.xfail(reason=reason))
    path = _SHARED / "corpus" / entry["path"]
    read = extract(path.read_bytes(), filename=path.name, mime_type=entry["mime"])
    text = normal(read.text, entry)
    assert [wanted for wanted in entry["must_contain"] if normal(wanted, entry) not in text] == []
    assert [unwanted for unwanted in entry["must_not_contain"] if unwanted in read.text] == []


@pytest.mark.parametrize("entry", failing, ids=named)
def test_any_other_file_fails_with_its_reason(entry: dict[str, Any]) -> None:
    path = _SHARED / "corpus" / entry["path"]
    with pytest.raises(UnreadableDocument) as caught:
        extract(path.read_bytes(), filename=path.name, mime_type=entry["mime"])
    wanted = {outcome.removeprefix("fail:") for outcome in outcomes(entry)}
    if "ocr" in wanted:
        wanted = {"no_text"}
    if not is_read(entry):
        wanted |= {"unsupported"}
    assert caught.value.reason.lower() in wanted
    assert caught.value.recovery_hint
