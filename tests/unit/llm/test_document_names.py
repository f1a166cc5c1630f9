import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolecall.llm.document_names import legal_document_name

LEGAL = re.compile(r"[A-Za-z0-9\-()\[\]]+( [A-Za-z0-9\-()\[\]]+)*")


def named(*filenames: str) -> list[str]:
    used: set[str] = set()
    return [legal_document_name(filename, used) for filename in filenames]


def test_the_names_that_conversations_were_refused_for_become_legal_and_unique():
    filenames = [
        "report.pdf",
        "report.docx",
        "Report.pdf",
        "report.pdf",
        "John's CV #2, v1.0.pdf",
        "\u5c65\u6b74\u66f8.pdf",
        "\u8077\u52d9\u7d4c\u6b74.pdf",
        "a\u3000b.pdf",
        "a  b\t.pdf",
        ".pdf",
        "x" * 230 + ".pdf",
        "ra\u030apport.pdf",
    ]

    assert named(*filenames) == [
        "report",
        "report-2",
        "Report-3",
        "report-4",
        "John s CV 2 v1 0",
        "document",
        "document-2",
        "a b",
        "a b-2",
        "document-3",
        "x" * 180,
        "rapport",
    ]


@pytest.mark.parametrize(
    ("filename", "name"),
    [
        ("../../x", "x"),
        ("C:\\files\\CV.docx", "CV"),
        ("rättad åäö.pdf", "rattad aao"),
        ("Søren Ægir.pdf", "Soren AEgir"),
        ("plan v1.2 final", "plan v1 2 final"),
        ("", "document"),
    ],
)
def test_folders_extensions_and_marks_go(filename, name):
    assert named(filename) == [name]


@given(st.lists(st.text(max_size=300), max_size=12))
def test_whatever_the_files_are_called_their_names_are_legal_unique_and_the_same_again(filenames):
    names = named(*filenames)

    assert all(LEGAL.fullmatch(name) and len(name) <= 200 for name in names)
    assert len({name.lower() for name in names}) == len(names)
    assert named(*filenames) == names
