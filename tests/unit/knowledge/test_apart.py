import os
import time
from pathlib import Path

import pytest

from rolecall.knowledge.extract import Kind, apart, extract
from rolecall.knowledge.extract.blocks import Read
from rolecall.knowledge.faults import Fault, UnreadableDocument
from tests.unit.knowledge.files import a_docx, a_pdf, p


def reader(seconds: float = 30, **limits: int) -> object:
    return apart.reader(time.monotonic() + seconds, lambda: None, **limits)


def test_a_child_reads_what_this_process_reads() -> None:
    for data in (a_pdf("One", "Two"), a_docx(p("Leave", "H1") + p("Lone \u2028 half"))):
        assert extract(data, binary_reader=reader()) == extract(data)  # type: ignore[arg-type]


def test_a_failure_in_the_child_keeps_its_reason_and_words() -> None:
    with pytest.raises(UnreadableDocument) as caught:
        extract(a_pdf("x", password="s"), binary_reader=reader())  # type: ignore[arg-type]
    assert caught.value.reason is Fault.ENCRYPTED
    assert "without the password" in caught.value.recovery_hint


def test_a_child_that_dies_is_a_damaged_file() -> None:
    with pytest.raises(UnreadableDocument) as caught:
        extract(a_pdf("x"), binary_reader=reader(memory=1))  # type: ignore[arg-type]
    assert caught.value.reason is Fault.CORRUPT


def test_a_child_that_takes_too_long_is_killed() -> None:
    before = _children()
    with pytest.raises(UnreadableDocument) as caught:
        extract(a_pdf("x"), binary_reader=reader(0.02))  # type: ignore[arg-type]
    assert caught.value.reason is Fault.TIMEOUT
    assert _children() == before


def test_whoever_stops_waiting_ends_the_child(monkeypatch: pytest.MonkeyPatch) -> None:
    class Superseded(Exception):
        pass

    def stop() -> None:
        raise Superseded

    monkeypatch.setattr(apart, "BEAT_SECONDS", 0.01)
    before = _children()
    with pytest.raises(Superseded):
        extract(a_pdf("x"), binary_reader=apart.reader(time.monotonic() + 30, stop))
    assert _children() == before


def test_the_child_gets_no_argument_from_the_file() -> None:
    read = apart.reader(time.monotonic() + 30, lambda: None)(Kind.PDF, a_pdf("-c import os"))
    assert isinstance(read, Read)


def _children() -> str:
    return Path(f"/proc/self/task/{os.getpid()}/children").read_text()
