"""Tokens: what holds, and what does not."""

import time
from typing import Any
from uuid import uuid4

import jwt
import pytest
from cryptography.hazmat.primitives.asymmetric import rsa
from pydantic import SecretStr

from rolecall import identity
from rolecall.errors import Unauthorized
from rolecall.identity import Caller, verify_token
from rolecall.ids import CompanyId, UserId
from rolecall.settings import Settings, TokenSettings

SECRET = "a secret of at least thirty-two bytes"
SETTINGS = TokenSettings(secret=SecretStr(SECRET))
USER = uuid4()


def a_token(key: str = SECRET, algorithm: str = "HS256", **changes: Any) -> str:
    now = time.time()
    claims = {"sub": str(USER), "aud": "rolecall", "iss": "rolecall", "exp": now + 600} | changes
    return jwt.encode({name: value for name, value in claims.items() if value is not None}, key, algorithm=algorithm)


def test_a_good_token_names_its_caller_and_company() -> None:
    company = uuid4()

    verified = verify_token(a_token(company_id=str(company)), SETTINGS)

    assert verified.caller == Caller(UserId(USER), CompanyId(company))
    assert verified.caller.mode == "recruiter"
    assert verify_token(a_token(aud=["a", "rolecall"]), SETTINGS).caller.mode == "job_seeker"


def test_a_visitors_token_names_a_session_without_a_company() -> None:
    caller = verify_token(a_token(anonymous=True), SETTINGS).caller

    assert caller == Caller(UserId(USER), None, anonymous=True)
    assert caller.mode == "visitor"
    assert Caller.from_plain(caller.plain()) == caller
    assert verify_token(a_token(anonymous=False), SETTINGS).caller == Caller(UserId(USER))


@pytest.mark.parametrize(
    "changes",
    [
        {"anonymous": True, "company_id": "5b8f1c1e-0d3c-4c1e-9a55-2f4f3a8f2b10"},
        {"anonymous": "true"},
        {"anonymous": 1},
        {"exp": None},
        {"exp": "9999999999x"},
        {"exp": "9999999999"},
        {"exp": 1e12},
        {"exp": 0},
        {"aud": None},
        {"aud": "rolecall-admin"},
        {"aud": ["other"]},
        {"iss": None},
        {"iss": "https://issuer.example.evil/"},
        {"sub": None},
        {"sub": ""},
        {"sub": "u"},
        {"nbf": 4_102_444_800},
        {"company_id": ""},
        {"company_id": "acme"},
        {"company_id": 1},
        {"company_id": ["x"]},
        {"exp": 1e300},
    ],
    ids=str,
)
def test_a_claim_that_is_missing_or_wrong_is_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(Unauthorized):
        verify_token(a_token(**changes), SETTINGS)


@pytest.mark.parametrize("changes", [{"iat": 2}, {"nbf": 3}, {"iat": 0.9}, {"exp": -2}], ids=str)
def test_clocks_may_differ_by_seconds(changes: dict[str, float]) -> None:
    now = time.time()

    assert verify_token(a_token(**{name: now + delta for name, delta in changes.items()}), SETTINGS)


@pytest.mark.parametrize("changes", [{"iat": 400}, {"nbf": 400}, {"exp": -400}], ids=str)
def test_clocks_may_not_differ_by_minutes(changes: dict[str, float]) -> None:
    now = time.time()

    with pytest.raises(Unauthorized):
        verify_token(a_token(**{name: now + delta for name, delta in changes.items()}), SETTINGS)


def test_an_unsigned_token_or_one_of_another_key_is_refused() -> None:
    for token in (a_token("", "none"), a_token("another secret of thirty-two bytes!"), "", "x.y.z", "ü"):
        with pytest.raises(Unauthorized):
            verify_token(token, SETTINGS)


def test_with_a_key_set_only_the_issuers_key_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    issuer, thief = (rsa.generate_private_key(public_exponent=65537, key_size=2048) for _ in range(2))

    class Keys:
        def get_signing_key_from_jwt(self, _: str) -> Any:
            return type("Key", (), {"key": issuer.public_key()})

    monkeypatch.setattr(identity, "_jwks", lambda _: Keys())
    settings = TokenSettings(secret=SecretStr(SECRET), jwks_url="https://issuer.example/keys")

    assert verify_token(a_token(issuer, "RS256"), settings)  # type: ignore[arg-type]
    for token in (a_token(thief, "RS256"), a_token()):  # type: ignore[arg-type]
        with pytest.raises(Unauthorized):
            verify_token(token, settings)


def test_settings_take_an_empty_variable_as_not_set_and_show_no_secret() -> None:
    settings = Settings.from_env({"TOKEN_SECRET": SECRET, "MODEL": "", "UNKNOWN": "x"})

    assert settings.model == Settings().model
    assert SECRET not in repr(settings)
    assert settings.tokens.secret.get_secret_value() == SECRET
