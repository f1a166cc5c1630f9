"""Master keys: read, rotated while warm, and what is sealed with them."""

from uuid import UUID

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from rolecall.identity import Caller
from rolecall.ids import CompanyId, UserId
from rolecall.llm.vault import keys
from rolecall.llm.vault.keys import KeysUnavailable, key_ring, parse_ring
from rolecall.llm.vault.seal import CannotOpen, Sealed, bound_to, seal, unseal
from rolecall.settings import Settings

OLD, NEW = "o" * 40, "n" * 40
ANN = Caller(UserId(UUID(int=1)), CompanyId(UUID(int=2)))
PURPOSE = bound_to(ANN, "openai", None)


@pytest.fixture
def clock(monkeypatch):
    """A clock that stands still until it is moved."""
    at = [1000.0]
    monkeypatch.setattr(keys.time, "monotonic", lambda: at[0])
    keys.forget_keys()
    yield at
    keys.forget_keys()


@pytest.fixture
def secret(monkeypatch):
    """A secret in Secrets Manager, and how often it was read."""
    held = {"text": f"v1:{OLD}", "reads": 0}

    def read(_arn):
        held["reads"] += 1
        if isinstance(held["text"], Exception):
            raise held["text"]
        return held["text"]

    monkeypatch.setattr(keys, "read_secret", read)
    return held


ELSEWHERE = Settings(credential_keys_secret_arn="arn:keys")


def test_the_first_key_seals_and_all_open():
    before = seal(parse_ring(f"v1:{OLD}"), "sk-secret", PURPOSE)
    ring = parse_ring(f"v2:{NEW}, v1:{OLD}")
    after = seal(ring, "sk-secret", PURPOSE)

    assert (before.key_version, after.key_version) == ("v1", "v2")
    assert {unseal(ring, sealed, PURPOSE).get_secret_value() for sealed in (before, after)} == {"sk-secret"}


@pytest.mark.parametrize("text", ["", " , ", "v1:short", f"v1:{OLD},v1:{NEW}", "x" * 31])
def test_keys_that_are_none_short_or_twice_are_refused(text):
    with pytest.raises(KeysUnavailable):
        parse_ring(text)


def test_a_generated_secret_without_a_version_is_the_first_version():
    assert parse_ring(OLD).keys == parse_ring(f"v1:{OLD}").keys


def test_no_repr_shows_a_key():
    sealed = seal(parse_ring(OLD), "sk-secret", PURPOSE)
    shown = repr(parse_ring(OLD)) + repr(unseal(parse_ring(OLD), sealed, PURPOSE)) + repr(sealed)
    assert OLD not in shown
    assert "sk-secret" not in shown


@given(st.text(st.characters(codec="ascii"), min_size=1, max_size=1000))
def test_a_sealed_key_survives_its_way_as_text(secret):
    ring = parse_ring(OLD)
    assert unseal(ring, Sealed.of_text(seal(ring, secret, PURPOSE).text()), PURPOSE).get_secret_value() == secret


@pytest.mark.parametrize("text", ["", "a.b", "sk-secret", "a.b.c.d", "!.!.!", "é.é.é"])
def test_a_text_that_was_not_sealed_does_not_open(text):
    with pytest.raises(CannotOpen):
        unseal(parse_ring(OLD), Sealed.of_text(text), PURPOSE)


@pytest.mark.parametrize(
    "purpose",
    [
        bound_to(ANN, "anthropic", None),
        bound_to(ANN, "openai", "https://elsewhere.example"),
        bound_to(ANN.as_job_seeker(), "openai", None),
        bound_to(Caller(ANN.user_id, CompanyId(UUID(int=3))), "openai", None),
    ],
)
def test_a_key_opens_for_its_owner_provider_and_address_alone(purpose):
    ring = parse_ring(OLD)
    with pytest.raises(CannotOpen, match="sealed for something else"):
        unseal(ring, seal(ring, "sk-secret", PURPOSE), purpose)


def test_every_byte_of_a_sealed_key_counts():
    ring = parse_ring(OLD)
    sealed = seal(ring, "sk-secret", PURPOSE)
    for at in range(len(sealed.ciphertext)):
        changed = bytes(byte ^ (index == at) for index, byte in enumerate(sealed.ciphertext))
        with pytest.raises(CannotOpen):
            unseal(ring, Sealed(sealed.key_version, sealed.nonce, changed), PURPOSE)


def test_a_new_master_key_is_seen_within_a_minute_by_a_function_that_is_warm(clock, secret):
    assert key_ring(ELSEWHERE).newest == "v1"
    secret["text"] = f"v2:{NEW},v1:{OLD}"
    clock[0] += 59
    assert (key_ring(ELSEWHERE).newest, secret["reads"]) == ("v1", 1)
    clock[0] += 2
    assert (key_ring(ELSEWHERE).newest, secret["reads"]) == ("v2", 2)


def test_a_version_that_is_not_known_is_looked_for_at_once_but_not_all_the_time(clock, secret):
    key_ring(ELSEWHERE)
    secret["text"] = f"v2:{NEW},v1:{OLD}"
    clock[0] += 6
    assert "v2" in key_ring(ELSEWHERE, wanted="v2").keys
    for _ in range(5):
        key_ring(ELSEWHERE, wanted="v9")
    assert secret["reads"] == 2


def test_keys_that_cannot_be_read_again_stay_those_that_were_read(clock, secret):
    key_ring(ELSEWHERE)
    secret["text"] = TimeoutError("away")
    clock[0] += 61
    assert key_ring(ELSEWHERE).newest == "v1"


def test_keys_that_cannot_be_read_at_all_are_an_error_that_says_so(clock, secret):
    secret["text"] = TimeoutError("away")
    with pytest.raises(KeysUnavailable, match="cannot be read"):
        key_ring(ELSEWHERE)


def test_without_keys_the_error_names_the_setting():
    with pytest.raises(KeysUnavailable) as caught:
        key_ring(Settings())
    assert "CREDENTIAL_KEYS" in caught.value.recovery_hint


def test_given_keys_need_no_secret(secret):
    assert key_ring(Settings(credential_keys=SecretStr(OLD), credential_keys_secret_arn="arn:keys")).newest == "v1"
    assert secret["reads"] == 0
