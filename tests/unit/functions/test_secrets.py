"""Handlers that read a secret where their configuration names one."""

import json
from collections.abc import Iterator, Mapping
from typing import Any
from uuid import uuid4

import pytest
from psycopg.conninfo import conninfo_to_dict

from functions.chat import authorize
from functions.janitor import migrate
from local.tokens import token_for
from rolecall.aws import clients
from rolecall.identity import Caller
from rolecall.ids import UserId
from rolecall.settings import settings

URL = "postgresql://rolecall_owner@server/rolecall?sslmode=require"


class FakeSecrets:
    """Secrets Manager with one secret."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.asked: list[str] = []

    def get_secret_value(self, **request: str) -> dict[str, Any]:
        self.asked.append(request["SecretId"])
        return {"SecretString": self.text}


@pytest.fixture(autouse=True)
def _forget() -> Iterator[None]:
    settings.cache_clear()
    authorize._tokens.cache_clear()
    yield
    settings.cache_clear()
    authorize._tokens.cache_clear()


def test_the_authorizer_reads_its_secret_once_and_lets_a_token_signed_with_it_in(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    secret = "s" * 40
    kept = FakeSecrets(secret)
    monkeypatch.setattr(clients, "secrets", lambda: kept)
    monkeypatch.setenv("TOKEN_SECRET_ARN", "arn:of:it")
    caller = Caller(UserId(uuid4()))
    event = {"methodArn": "arn:api", "queryStringParameters": {"token": token_for(caller, secret)}}
    for _ in range(2):
        assert authorize.handler(event, None)["principalId"] == str(caller.user_id)
    assert kept.asked == ["arn:of:it"]


def test_a_key_set_needs_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(clients, "secrets", lambda: pytest.fail("no secret is needed"))
    monkeypatch.setenv("TOKEN_SECRET_ARN", "arn:of:it")
    monkeypatch.setenv("TOKEN_JWKS_URL", "https://issuer/keys")
    assert authorize._tokens().jwks_url == "https://issuer/keys"


def test_at_a_deploy_the_master_prepares_the_server_and_the_owner_gets_a_password_of_this_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    prepared: list[tuple[dict[str, Any], Mapping[str, str]]] = []
    migrated: list[dict[str, Any]] = []
    master = FakeSecrets(json.dumps({"username": "boss", "password": "p", "host": "ignored"}))
    monkeypatch.setattr(clients, "secrets", lambda: master)
    monkeypatch.setattr(
        migrate, "bootstrap", lambda url, passwords: prepared.append((conninfo_to_dict(url), passwords))
    )
    monkeypatch.setattr(migrate, "migrate", lambda url: [migrated.append(conninfo_to_dict(url))] and ["0001"])
    monkeypatch.setenv("DATABASE_URL", URL)
    monkeypatch.setenv("DATABASE_ADMIN_SECRET_ARN", "arn:of:master")
    for _ in range(2):
        assert migrate.handler({}, None) == {"applied": ["0001"]}
    connected = {"user": "boss", "password": "p", "host": "server", "dbname": "postgres", "sslmode": "require"}
    assert [url for url, _ in prepared] == [connected, connected]
    passwords = [given["owner"] for _, given in prepared]
    assert [url["password"] for url in migrated] == passwords
    assert passwords[0] != passwords[1]
    assert all(url["user"] == "rolecall_owner" for url in migrated)


def test_without_a_master_it_only_migrates(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(migrate, "bootstrap", lambda *_: pytest.fail("nobody can prepare the server"))
    monkeypatch.setattr(migrate, "migrate", lambda url: [url])
    monkeypatch.setenv("DATABASE_URL", URL)
    assert migrate.handler({}, None) == {"applied": [URL]}
