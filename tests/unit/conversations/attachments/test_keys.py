"""A key says whose file it is, and nobody else's is ever read."""

from uuid import uuid4

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rolecall.conversations.attachments.keys import new_key, own_keys
from rolecall.identity import Caller
from rolecall.ids import CompanyId, UserId

ANN = Caller(UserId(uuid4()), CompanyId(uuid4()))


@given(st.text(min_size=1, max_size=1000))
def test_a_key_is_plain_short_and_its_owners_whatever_the_file_is_called(filename: str) -> None:
    key = new_key(ANN, filename)
    assert own_keys(ANN, key) == [key]
    assert key.isascii()
    assert len(key) < 250
    assert len(key.split("/")) == 5


@pytest.mark.parametrize(
    "other", [Caller(ANN.user_id), Caller(UserId(uuid4()), ANN.company_id), Caller(ANN.user_id, CompanyId(uuid4()))]
)
def test_a_key_is_nobody_elses_nor_the_same_persons_for_another_company(other: Caller) -> None:
    assert own_keys(other, new_key(ANN, "cv.pdf")) == []


def test_a_percent_encoded_key_means_the_decoded_one_too() -> None:
    key = new_key(ANN, "x").rsplit("/", 1)[0] + "/my%20cv%20%281%29.pdf"
    assert own_keys(ANN, key) == [key, key.replace("%20", " ").replace("%28", "(").replace("%29", ")")]


@pytest.mark.parametrize("trick", ["..", ".", "", "../x", "a/b", "..%2f..%2fx", "%00", "a\nb", "x" * 1024])
def test_a_key_that_leads_elsewhere_is_not_theirs(trick: str) -> None:
    base = new_key(ANN, "x").rsplit("/", 1)[0]
    wanted = own_keys(ANN, f"{base}/{trick}")
    assert [key for key in wanted if ".." in key.split("/") or "\0" in key] == []
    assert len(wanted) <= 1


@pytest.mark.parametrize("key", ["", "attachments/", "uploads/x/cv.pdf", "attachments/person/x/y/z", "a%zz"])
def test_what_is_no_key_is_nobodys(key: str) -> None:
    assert own_keys(ANN, key) == []
