import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolecall.knowledge.clean import as_query, clean, display_name, line

anything = st.text(st.characters(codec=None))


@given(anything)
def test_clean_text_can_be_stored_and_cleaning_it_again_changes_nothing(text: str) -> None:
    cleaned = clean(text)
    cleaned.encode()
    assert not {c for c in cleaned if unicodedata.category(c) == "Cc"} - {"\n", "\t"}
    assert unicodedata.is_normalized("NFC", cleaned)
    assert clean(cleaned) == cleaned


@given(anything, st.integers(min_value=1, max_value=50))
def test_a_label_is_one_line_within_its_limit(text: str, limit: int) -> None:
    label = line(text, limit)
    assert len(label) <= limit
    assert label == label.strip()
    assert len(label.splitlines()) <= 1


@given(anything)
def test_a_display_name_is_never_a_path_or_nothing(name: str) -> None:
    shown = display_name(name)
    assert 1 <= len(shown) <= 255
    assert not set("/\\\n\0") & set(shown)
    assert shown not in {".", ".."}


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("o\x00ce", "oce"),
        ("Immo\u00ad\nbilien", "Immobilien"),
        ("Immo\u00adbilien", "Immobilien"),
        ("adip\ufffeiscing", "adipiscing"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("bell\x07 tab\tstays", "bell tab\tstays"),
        ("half \ud800 character", "half \ufffd character"),
        ("A\u030asa", "\u00c5sa"),
        ("a\n\n\n\n\nb", "a\n\nb"),
    ],
)
def test_clean(text: str, cleaned: str) -> None:
    assert clean(text) == cleaned


def test_a_long_name_keeps_its_ending() -> None:
    assert display_name("x" * 400 + ".pdf") == "x" * 251 + ".pdf"


def test_a_query_of_nothing_is_empty() -> None:
    assert as_query(" \x00\n\u200b ") == ""
